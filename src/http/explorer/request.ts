/** The request that the controls stand for: its address, and code that sends it. */

import { find, makeToggle } from './dom.ts';
import { listingUrl } from './listing.ts';

export type Language = 'curl' | 'JavaScript' | 'PHP' | 'Python';

const accountField = find('#account', HTMLInputElement);
const tokenField = find('#token', HTMLInputElement);

let language: Language = 'curl';

export function requestUrl(search: string) {
  return listingUrl(accountField.value.trim() || 'ACCOUNT', search);
}

export function showRequest(search: string) {
  const url = requestUrl(search);
  find('#request-line').textContent = `GET ${decodeURI(url.pathname)}${url.search}`;
  const token = find('#reveal', HTMLInputElement).checked ? tokenField.value.trim() : undefined;
  find('#code').textContent = SAMPLES[language](url.href, token);
}

/** Lets the user choose the language of the code. */
export function offerLanguages(onChosen: () => void) {
  for (const name of Object.keys(SAMPLES) as Language[]) {
    const toggle = makeToggle({ type: 'radio', name: 'language', value: name }, name);
    const input = find('input', HTMLInputElement, toggle);
    input.checked = name === language;
    input.addEventListener('change', () => {
      language = name;
      onChosen();
    });
    find('#languages').append(toggle);
  }
}

/**
 * Code to copy. Without a token, it takes that from the variable SHIFTFEED_TOKEN of the environment. */
const SAMPLES: Readonly<Record<Language, (url: string, token: string | undefined) => string>> = {
  curl(url, token) {
    const header =
      token === undefined
        ? '"Authorization: Bearer $SHIFTFEED_TOKEN"'
        : shellText(`Authorization: Bearer ${token}`);
    return `curl --fail-with-body --compressed \\
  --header ${header} \\
  ${shellText(url)}
`;
  },

  JavaScript(url, token) {
    const value =
      token === undefined ? '`Bearer $' + '{process.env.SHIFTFEED_TOKEN}`' : scriptText(`Bearer ${token}`);
    return `const response = await fetch(${scriptText(url)}, {
  headers: { Authorization: ${value} },
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.error);

for (const { date, start_time, end_time, group } of answer.shifts) {
  console.log(date, start_time, end_time, group.name);
}
console.log(\`\${answer.meta.total} shifts in all\`);
`;
  },

  PHP(url, token) {
    const value = token === undefined ? "'Bearer ' . getenv('SHIFTFEED_TOKEN')" : phpText(`Bearer ${token}`);
    return `<?php

$context = stream_context_create(['http' => [
    'header' => 'Authorization: ' . ${value},
    'ignore_errors' => true,
]]);
$body = file_get_contents(${phpText(url)}, false, $context);
$answer = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
if (isset($answer['error'])) {
    throw new RuntimeException($answer['error']);
}

foreach ($answer['shifts'] as $shift) {
    echo "{$shift['date']} {$shift['start_time']} {$shift['end_time']} {$shift['group']['name']}\\n";
}
echo "{$answer['meta']['total']} shifts in all\\n";
`;
  },

  /** A text in JSON is one in Python, too. */
  Python(url, token) {
    const value =
      token === undefined ? 'f"Bearer {os.environ[\'SHIFTFEED_TOKEN\']}"' : JSON.stringify(`Bearer ${token}`);
    return `import json
${token === undefined ? 'import os\n' : ''}import sys
import urllib.error
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    headers={"Authorization": ${value}},
)
try:
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
except urllib.error.HTTPError as error:
    sys.exit(json.load(error)["error"])

for shift in answer["shifts"]:
    print(shift["date"], shift["start_time"], shift["end_time"], shift["group"]["name"])
print(answer["meta"]["total"], "shifts in all")
`;
  },
};

function shellText(text: string) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function scriptText(text: string) {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function phpText(text: string) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
