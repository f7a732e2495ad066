import { quoted, stepsOf } from './shell-code.ts';
import type { CommandWords, DescribedOption } from './words.ts';

export function fishScript(commands: readonly CommandWords[]): string {
  const steps = stepsOf(commands).map(
    ({ from, to }) => `      case ${quoted(from)}\n        set place ${quoted(to)}`,
  );
  return `# Completes shiftfeed in fish.
function __shiftfeed_at
  set -l place ''
  for word in (commandline -opc)[2..-1]
    switch "$place $word"
${steps.join('\n')}
    end
  end
  test "$place" = "$argv[1]"
end
complete -c shiftfeed -f
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, choices, options, takesFile }: CommandWords): string[] {
  const here = `complete -c shiftfeed -n ${quoted(`__shiftfeed_at "${path}"`)}`;
  return [
    ...commands.map(({ word, description }) => `${here} -a ${word} -d ${quoted(description)}`),
    ...choices.map((word) => `${here} -a ${word}`),
    ...options.map(
      ({ word, description, value }) =>
        `${here} -l ${word.replace('--', '')} -d ${quoted(description)}${complete(value)}`,
    ),
    ...(takesFile ? [`${here} -F`] : []),
  ];
}

function complete(value: DescribedOption['value']): string {
  if (value === 'none') return '';
  if (value === 'file') return ' -r -F';
  return typeof value === 'string' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`;
}
