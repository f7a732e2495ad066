/**
 * Options from the environment. Each option of `serve`, such as --cache-mb, can also be set as SHIFTFEED_CACHE_MB. Some
 * also have a conventional variable, such as PORT. The command line wins over SHIFTFEED_…, which wins over the
 * conventional variable.
 */

import type { Command, Option } from 'commander';

const PREFIX = 'SHIFTFEED_';

const CONVENTIONAL: ReadonlyMap<string, string> = new Map([
  ['host', 'HOST'],
  ['port', 'PORT'],
  ['database', 'DATABASE_URL'],
  ['database-file', 'DATABASE_URL_FILE'],
]);

/**
 * Also reads an option from the environment. Commander supports only one variable per option, so this picks the one
 * that takes precedence.
 */
export function fromEnvironment(option: Option): Option {
  const byRule = PREFIX + option.name().toUpperCase().replaceAll('-', '_');
  const conventional = CONVENTIONAL.get(option.name());
  const value = process.env[byRule];
  if (value === undefined) return option.env(conventional ?? byRule);
  if (!isFromKubernetes(value)) return option.env(byRule);
  return conventional === undefined ? option : option.env(conventional);
}

export function isByRule({ envVar }: Option): boolean {
  return envVar?.startsWith(PREFIX) ?? false;
}

/** The setting that an option came from: its variable, or its long form such as --port. */
export function givenAs(command: Command, attribute: string): string {
  const option = command.options.find((candidate) => candidate.attributeName() === attribute);
  const isVariable = command.getOptionValueSource(attribute) === 'env';
  return (isVariable ? option?.envVar : option?.long) ?? attribute;
}

/** Commander sets a switch if its variable exists, whatever its value. This reads the value. */
export function readSwitches(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const isSwitch = option.isBoolean() || option.negate;
    if (!isSwitch || option.envVar === undefined || command.getOptionValueSource(name) !== 'env') continue;
    const value = process.env[option.envVar] ?? '';
    if (!/^(true|false|1|0)$/.test(value)) {
      command.error(
        `error: option '${option.flags}' value '${value}' from env '${option.envVar}' is invalid. Expected true or false.`,
      );
    }
    const isGiven = value === 'true' || value === '1';
    // An option such as --no-pages switches something off that is on by default.
    command.setOptionValueWithSource(name, isGiven !== option.negate, 'env');
  }
}

/**
 * Kubernetes sets variables for each service. For one named "shiftfeed", SHIFTFEED_PORT holds a URL such as
 * tcp://10.0.0.11:80, which is not a setting of ours.
 */
function isFromKubernetes(value: string): boolean {
  return /^(tcp|udp|sctp):\/\//.test(value);
}
