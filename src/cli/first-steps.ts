/** What `shiftfeed` without any words says: what to type next. */
export function firstSteps(): string {
  // With npx, there is no installed command named shiftfeed.
  const shiftfeed = process.env.npm_command === 'exec' ? 'npx shiftfeed' : 'shiftfeed';
  return `Shiftfeed lets the work shifts of an organisation be read over HTTP.

See it work, with made-up shifts:
  ${shiftfeed} serve --demo

Serve your own shifts:
  ${shiftfeed} import plan.json
  ${shiftfeed} token create acme --label website
  ${shiftfeed} serve

Show them on a website:
  ${shiftfeed} gateway website.json

All commands: ${shiftfeed} --help
`;
}
