/** `group`, `location` and `person`: what an account has besides shifts. */

import { Command, Option } from 'commander';
import { examples } from '../help.ts';
import { parseAddress, parseBoolean, parseName } from '../options.ts';
import { onOneLine } from '../print.ts';
import { GROUPS, LOCATIONS, PEOPLE } from './kind.ts';
import { listCommand } from './list.ts';
import { removeCommand } from './remove.ts';
import { setCommand } from './set.ts';

export function groupCommand(): Command {
  return new Command('group')
    .summary('List, change or remove the groups of an account.')
    .description(
      'Lists, changes or removes the groups of an account. A change holds from the next request on.',
    )
    .addCommand(listCommand(GROUPS))
    .addCommand(
      setCommand(GROUPS, {
        description:
          'Change a group; what is left out stays. Shifts of a group that is not active are not listed.',
        options: [
          nameOption(),
          new Option('--active <true|false>', 'whether its shifts are listed').argParser(parseBoolean),
          new Option(
            '--private <true|false>',
            'whether it is marked as private; it is listed all the same',
          ).argParser(parseBoolean),
        ],
        example: 'shiftfeed group set acme 3 --active false',
        describe: ({ name, active, private: isPrivate }) => {
          const shown = active ? 'active' : 'not active, so its shifts are not listed';
          return `${name}, ${isPrivate ? 'private' : 'not private'}, ${shown}`;
        },
      }),
    )
    .addCommand(
      removeCommand(
        GROUPS,
        'Remove a group that no shift has, after asking. A shift needs a group.',
        'shiftfeed group remove acme 3',
      ),
    )
    .addHelpText('after', examples('shiftfeed group list acme'));
}

export function locationCommand(): Command {
  return new Command('location')
    .summary('List, change or remove the locations of an account.')
    .description(
      'Lists, changes or removes the locations of an account. A change holds from the next request on.',
    )
    .addCommand(listCommand(LOCATIONS))
    .addCommand(
      setCommand(LOCATIONS, {
        description: 'Change a location; what is left out stays.',
        options: [
          nameOption(),
          new Option('--address <text>', 'its address; "" for none').argParser(parseAddress),
        ],
        example: 'shiftfeed location set acme 7 --name Pier',
        describe: ({ name, address }) =>
          `${name}, ${address === '' ? 'without an address' : onOneLine(address)}`,
      }),
    )
    .addCommand(
      removeCommand(
        LOCATIONS,
        'Remove a location, after asking. Its shifts stay, without a location.',
        'shiftfeed location remove acme 7',
      ),
    )
    .addHelpText('after', examples('shiftfeed location list acme'));
}

export function personCommand(): Command {
  return new Command('person')
    .summary('List, change or remove the people of an account.')
    .description(
      'Lists, changes or removes the people of an account. A change holds from the next request on.',
    )
    .addCommand(listCommand(PEOPLE))
    .addCommand(
      setCommand(PEOPLE, {
        description: 'Change the name of a person.',
        options: [nameOption()],
        example: 'shiftfeed person set acme 3 --name Noor',
        describe: ({ name }) => name,
      }),
    )
    .addCommand(
      removeCommand(
        PEOPLE,
        'Remove a person, after asking. The shifts stay, as open ones.',
        'shiftfeed person remove acme 3',
      ),
    )
    .addHelpText('after', examples('shiftfeed person list acme'));
}

function nameOption(): Option {
  return new Option('--name <text>', 'its name').argParser(parseName);
}
