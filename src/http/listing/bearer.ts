/** The token of an `Authorization: Bearer …` header (RFC 6750), if there is one. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}
