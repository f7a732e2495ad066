/** Makes a script smaller without changing what it does: only what stands between words and signs goes. */

/** A text in quotes, a template, or what is between them. No template has another one in it, and no pattern a quote. */
const PIECES = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|[^'"`]+/g;

export function tighter(script: string): string {
  return script
    .replace(PIECES, (piece) => {
      if (piece.startsWith('`\n')) return tighterStyles(piece);
      return /^['"`]/.test(piece) ? piece : tighterCode(piece);
    })
    .trimStart();
}

/** Every statement ends with a semicolon or a brace, so that line breaks mean nothing. */
function tighterCode(code: string): string {
  return code
    .replace(/\s+/g, ' ')
    .replace(/ ?([=*?:<>&|{}!,;()[\]]) ?/g, '$1')
    .replace(/;(?=(?:export )?(?:async )?(?:const|let|class|function)\b)/g, ';\n');
}

/** Templates that begin with a line break are style sheets. */
function tighterStyles(styles: string): string {
  return styles
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replaceAll(': ', ':');
}
