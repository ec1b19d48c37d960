import type { Quickstart } from '../../doctor/quickstart.ts'
import type { Install } from '../../domain/crm/types.ts'
import { url as address, answer, answerOf, boolean, list, nullable, object, oneOf, string, told } from '../schema.ts'
import { SNIPPET_NAMES, type Snippet, snippetsFor } from '../snippets.ts'

const snippetAnswer = answer<Snippet>()('Snippet', 'Code to paste into an app or a server, for this app.', {
  name: told(oneOf(SNIPPET_NAMES), 'Where it is pasted.', 'web'),
  label: told(string, 'The same, for people.', 'Web page'),
  about: told(string, 'What else has to be there.', 'Two files of your website.'),
  page: told(string, 'The page of the handbook about it.', 'docs/clients/web.md'),
  files: told(
    list(
      object('SnippetFile', 'A file of a snippet.', {
        name: told(string, 'Its usual name.', 'index.html'),
        text: told(
          string,
          'Its text. Keys that the server does not know are `SECRET_KEY` and `SERVER_KEY`.',
          '<button>',
        ),
      }),
    ),
    'In the order in which they are made.',
  ),
})
const firstInstall = answer<Install>()(
  'FirstInstall',
  'The first install of an app that can be reached, or else the first.',
  {
    installId: told(string, 'Its id, chosen by the app.', '3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10'),
    canReceive: told(boolean, 'It has a token, and its notifications are on.', true, ({ subscribed }) => subscribed),
    os: told(
      nullable(string),
      'Its system.',
      'Android 15',
      ({ os, osVersion }) => [os, osVersion].filter(Boolean).join(' ') || null,
    ),
  },
)

export const presentQuickstart = ({ values, firstInstall: found }: Quickstart) => ({
  url: values.url,
  snippets: snippetsFor(values).map(snippetAnswer.present),
  firstInstall: found ? firstInstall.present(found) : null,
})
export const quickstart = answerOf<typeof presentQuickstart>('Quickstart', 'How to begin with an app.', {
  url: told(address, 'The address of the server in the snippets.', 'https://app.example.com'),
  snippets: told(list(snippetAnswer), 'One for each place.'),
  firstInstall: told(nullable(firstInstall), 'The install that reported first; null while none has.'),
})
