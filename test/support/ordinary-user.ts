/** The superuser may look everywhere, so they are somebody else for a while. */
export async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  const isSuperuser = process.geteuid?.() === 0;
  if (isSuperuser) process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    if (isSuperuser) process.seteuid?.(0);
  }
}
