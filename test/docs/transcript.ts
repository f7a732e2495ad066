/**
 * The console blocks of a manual. In them, a line that begins with `$ ` is a command, and the lines up to the next one
 * are what it prints.
 */

export interface Exchange {
  readonly command: string;
  readonly shown: string;
}

export function readTranscript(manual: string): Exchange[] {
  const blocks = [...manual.matchAll(CONSOLE_BLOCK)].map(([, text = '']) => text);
  // In prose the name stands alone, in quotes. A command elsewhere would be a claim that nobody checks.
  if (manual.replaceAll(CONSOLE_BLOCK, '').includes('curl ')) {
    throw new Error('The manual has a curl command outside of its console blocks.');
  }
  return blocks.flatMap(readBlock);
}

const CONSOLE_BLOCK = /^```console\n(.*?)^```$/gms;

function readBlock(text: string): Exchange[] {
  const [before, ...exchanges] = text.split(/^\$ /m);
  if (before !== '') throw new Error(`A console block begins without a command: ${before}`);
  return exchanges.map((exchange) => {
    const [command = '', ...shown] = exchange.trimEnd().split('\n');
    if (shown.length === 0) throw new Error(`The manual does not show what this prints: ${command}`);
    return { command, shown: shown.join('\n') };
  });
}
