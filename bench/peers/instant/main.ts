/**
 * An instant API: PostGraphile makes one of the typical service's tables, set up for production as its manual says,
 * with the listing as a function in the database. It asks for no token. Takes the URL of the database and prints its
 * own.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const preset: GraphileConfig.Preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: process.argv[2] as string, schemas: ['typical'] })],
  // Load generators send GET requests.
  grafserv: { graphqlOverGET: true, graphiql: false, watch: false, outputDataAsString: true },
  grafast: { explain: false },
};

const server = createServer();
await postgraphile(preset).createServ(grafserv).addTo(server);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
