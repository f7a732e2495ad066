/**
 * Options from the environment. An option such as --cache-mb is also read from SHIFTFEED_CACHE_MB, and some from a variable that
 * is customary elsewhere. What is typed wins over SHIFTFEED_…, which wins over the customary variable.
 */

import type { Command, Option } from 'commander';

const PREFIX = 'SHIFTFEED_';

const CUSTOMARY: ReadonlyMap<string, string> = new Map([
  ['host', 'HOST'],
  ['port', 'PORT'],
  ['database', 'DATABASE_URL'],
  ['database-file', 'DATABASE_URL_FILE'],
]);

/** Lets an option be read from the environment as well. Commander looks at one variable, so it is told the one that counts. */
export function fromEnvironment(option: Option): Option {
  const byRule = PREFIX + option.name().toUpperCase().replaceAll('-', '_');
  const customary = CUSTOMARY.get(option.name());
  const value = process.env[byRule];
  if (value === undefined) return option.env(customary ?? byRule);
  if (!isOfKubernetes(value)) return option.env(byRule);
  return customary === undefined ? option : option.env(customary);
}

export function isByRule({ envVar }: Option): boolean {
  return envVar?.startsWith(PREFIX) ?? false;
}

/** What an option was given as: the variable if it comes from one. */
export function givenAs(command: Command, attribute: string): string {
  const option = command.options.find((candidate) => candidate.attributeName() === attribute);
  const isVariable = command.getOptionValueSource(attribute) === 'env';
  return (isVariable ? option?.envVar : option?.long) ?? attribute;
}

/** Commander takes an option without a value for given when its variable is there at all, whatever it says. */
export function readSwitches(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (!option.isBoolean() || option.envVar === undefined || command.getOptionValueSource(name) !== 'env')
      continue;
    const value = process.env[option.envVar] ?? '';
    if (!/^(true|false|1|0)$/.test(value)) {
      command.error(
        `error: option '${option.flags}' value '${value}' from env '${option.envVar}' is invalid. Expected true or false.`,
      );
    }
    command.setOptionValueWithSource(name, value === 'true' || value === '1', 'env');
  }
}

/**
 * Kubernetes tells every container where services are: the address of one that is named "shiftfeed" is in SHIFTFEED_PORT, as
 * a URL such as tcp://10.0.0.11:80. That is no setting.
 */
function isOfKubernetes(value: string): boolean {
  return /^(tcp|udp|sctp):\/\//.test(value);
}
