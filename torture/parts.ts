import { away } from './away/part.ts';
import { crash } from './crash/part.ts';
import { hostile } from './hostile/part.ts';
import { isolation } from './isolation/part.ts';
import { overload } from './overload/part.ts';
import type { Part } from './part.ts';
import { patroni } from './patroni/part.ts';
import { simulation } from './simulation/part.ts';
import { soak } from './soak/part.ts';

/** In the order in which they run. */
export const PARTS: readonly Part[] = [simulation, isolation, hostile, crash, away, patroni, overload, soak];
