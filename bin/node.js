/** `node bin/node.js …` is `node …` with a Node that can run the project, whichever Node it is started with. */

import { handOver } from './runtime.js';

handOver(process.argv.slice(2));
