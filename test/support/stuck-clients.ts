/** What clients send that then wait without end. */
export const STUCK_CLIENTS: readonly string[] = [
  '',
  'GET / HT',
  'CONNECT a:1 HTTP/1.1\r\n\r\n',
  `CONNECT a:1 HTTP/1.1\r\n\r\n${'x'.repeat(100_000)}`,
  'CONNECT a:1 HTTP/1.1\r\nContent-Length: 9\r\n\r\n',
  'nonsense\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n',
];
