/* Runs in the browser. */

showReference().catch(() => {
  document.querySelector('#reference .notice').textContent =
    'The description of the API could not be read. Reload the page to try again.';
});

async function showReference() {
  const answer = await fetch('openapi.json');
  if (!answer.ok) throw new Error(`openapi.json answered ${answer.status}`);
  const description = await answer.json();
  // Requests go to the address that this page was loaded from: its content security policy allows no other.
  description.servers = [{ url: new URL('.', document.baseURI).href.replace(/\/$/, '') }];
  SwaggerUIBundle({
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
  });
}
