/** The packages of the kit as npm would install them, without npm. */

import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { prepare } from '../../packaging/pack.ts';
import { allPackages } from '../../packaging/packages.ts';

export async function installKit(project: string): Promise<void> {
  const kit = (await allPackages()).filter(({ manifest }) => manifest.name.startsWith('@shiftfeed/'));
  const prepared = await Promise.all(kit.map((one) => prepare(one, join(project, 'packed'))));
  await mkdir(join(project, 'node_modules/@shiftfeed'), { recursive: true });
  for (const { name, folder } of prepared) await rename(folder, join(project, 'node_modules', name));
}
