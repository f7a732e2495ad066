/** Leaves out of a script what nothing in it names: functions and tables that only others need of shared modules. */

/** A function or a constant at the top level. It ends with its line, or with the first brace at the beginning of one. */
const DECLARATION = /^(?:async )?(?:function\*? (\w+)\(|const (\w+) *= *['\d{])(?:.*[;}]$|[\s\S]*?^\}.*)\n/gm;

export function withoutUnused(script: string): string {
  const counts = new Map<string, number>();
  for (const [name] of script.matchAll(/\w+/g)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const rest = script.replace(DECLARATION, (text, ofFunction?: string, ofTable?: string) =>
    counts.get(ofFunction ?? ofTable ?? '') === 1 ? '' : text,
  );
  // What was left out may have been the only one to need something else.
  return rest === script ? script : withoutUnused(rest);
}
