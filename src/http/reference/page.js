/* Runs in the browser. */

followColourScheme();
keepHistory();
showReference().catch(() => {
  document.querySelector('#reference .notice').textContent =
    'The description of the API could not be read. Reload the page to try again.';
});

/** Swagger UI has dark colours for a class, and leaves it to the page to set that. */
function followColourScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}

/**
 * Swagger UI adds an entry to the history for whatever is unfolded. Until the visitor does something, that is not the visitor, whose Back
 * leads to the page before.
 */
function keepHistory() {
  history.pushState = () => {};
  const restore = () => delete history.pushState;
  for (const type of ['pointerdown', 'keydown', 'click'])
    addEventListener(type, restore, { capture: true, once: true });
}

async function showReference() {
  const answer = await fetch('openapi.json');
  if (!answer.ok) throw new Error(`openapi.json answered ${answer.status}`);
  const description = await answer.json();
  // Requests go to the address that this page was loaded from: its content security policy allows no other.
  description.servers = [{ url: new URL('.', document.baseURI).href.replace(/\/$/, '') }];
  tellHeadersOnce(description);
  const page = SwaggerUIBundle({
    dom_id: '#reference',
    spec: description,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    // The token is forgotten when the page is closed.
    persistAuthorization: false,
    supportedSubmitMethods: ['get', 'head', 'options'],
    validatorUrl: null,
    // Whoever comes here wants to read about the one operation.
    onComplete: () => page.layoutActions.show(['operations', 'Shifts', 'listShifts'], true),
  });
}

/**
 * Most responses of an operation have the same headers. Each is told with the first response that has it, because the page would repeat
 * them all for every status.
 */
function tellHeadersOnce({ paths, components }) {
  const done = new Set();
  for (const operation of Object.values(paths).flatMap(Object.values)) {
    const told = new Set();
    for (const { $ref } of Object.values(operation.responses)) {
      const response = components.responses[$ref.split('/').at(-1)];
      if (done.has(response)) continue;
      done.add(response);
      for (const [name, { $ref: key = name }] of Object.entries(response.headers ?? {})) {
        if (told.has(key)) delete response.headers[name];
        else told.add(key);
      }
    }
  }
}
