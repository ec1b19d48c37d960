/**
 * A function for the script of the page, as text: `inLanguages(call, origin)` gives the code that makes the request, by the name of the language.
 * Each piece runs as it stands, with the keys in the variables of `apps create --env`: test/server/docs-page/languages.test.ts runs them.
 */
export const LANGUAGES = `
const KEYS = {
  serverKey: ['APPSVC_API_KEY', 'APPSVC_SERVER_KEY'],
  deviceKey: ['APPSVC_API_KEY', 'APPSVC_SECRET_KEY'],
  restKey: ['APPSVC_REST_KEY'],
}
function inLanguages({ method, path, key, type, body }, origin) {
  const isJson = type === undefined || type === 'application/json'
  // Files are sent by curl alone.
  if (!isJson) return {}
  const names = KEYS[key]
  const url = origin + path
  const json = JSON.stringify(body, null, 2)
  const hasBody = type !== undefined && body !== undefined
  const text = (value) => "'" + value.replaceAll('\\\\', '\\\\\\\\').replaceAll("'", "\\\\'") + "'"
  const lines = (some) => some.filter((line) => typeof line === 'string').join('\\n')
  const inner = (value, by) => value.replaceAll('\\n', '\\n' + by)
  const secret = names?.[1]
  return {
    TypeScript: lines([
      'const response = await fetch(' + text(url) + ', {',
      "  method: '" + method + "',",
      (names || hasBody) && '  headers: {',
      names && '    Authorization: \`Basic \${btoa(\`\${process.env.' + names[0] + '}:' + (secret ? '\${process.env.' + secret + '}' : '') + '\`)}\`,',
      hasBody && "    'Content-Type': 'application/json',",
      (names || hasBody) && '  },',
      hasBody && '  body: JSON.stringify(' + inner(json, '  ') + '),',
      '})',
      'console.log(response.status, await response.text())',
    ]),
    PHP: lines([
      '<?php',
      '$answer = file_get_contents(' + text(url) + ", false, stream_context_create(['http' => [",
      "    'method' => '" + method + "',",
      (names || hasBody) && "    'header' => [",
      names && "        'Authorization: Basic ' . base64_encode(getenv('" + names[0] + "') . ':'" + (secret ? " . getenv('" + secret + "')" : '') + '),',
      hasBody && "        'Content-Type: application/json',",
      (names || hasBody) && '    ],',
      hasBody && "    'content' => " + text(JSON.stringify(body)) + ',',
      "    'ignore_errors' => true,",
      ']]));',
      "echo $http_response_header[0], ' ', $answer, PHP_EOL;",
    ]),
    Python: lines([
      'import base64, os, urllib.error, urllib.request',
      '',
      names && "keys = os.environ['" + names[0] + "'] + ':'" + (secret ? " + os.environ['" + secret + "']" : ''),
      'request = urllib.request.Request(',
      '    ' + text(url) + ',',
      "    method='" + method + "',",
      hasBody && '    data=' + text(JSON.stringify(body)) + '.encode(),',
      (names || hasBody) && '    headers={',
      names && "        'Authorization': 'Basic ' + base64.b64encode(keys.encode()).decode(),",
      hasBody && "        'Content-Type': 'application/json',",
      (names || hasBody) && '    },',
      ')',
      'try:',
      '    with urllib.request.urlopen(request) as answer:',
      '        print(answer.status, answer.read().decode())',
      'except urllib.error.HTTPError as error:',
      '    print(error.code, error.read().decode())',
    ]),
  }
}
`
