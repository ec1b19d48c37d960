import { type Asked, api, asked, type Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { bodyOf, namesOf } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { DateTimeField } from '../../parts/date-field.tsx'
import { toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { instantFrom } from '../../parts/zones.ts'
import { navigate } from '../../state/router.ts'
import type { Link } from './words.ts'

type NewLink = Body<'/admin/v1/apps/{appId}/deep-links', 'post'>[number]
const LINKS = '/admin/v1/apps/{appId}/deep-links'
const LINK = '/admin/v1/apps/{appId}/deep-links/{id}'

/** A link, with the flags of `links create` and `links update`. */
const FORM = row.table<NewLink>()(
  row.text('mobileWebFallbackUrl', 'Page for people without the app', {
    type: 'url',
    placeholder: 'https://example.com/offer',
    hint: 'Phones come here when no store has the app, and from the button “Continue on the website”.',
    need: 'Give the page for people without the app.',
  }),
  row.text('desktopWebFallbackUrl', 'Page for computers', {
    type: 'url',
    hint: 'Leave it empty to use the same page.',
    isOptional: true,
    empty: 'sent',
    to: (page, { mobileWebFallbackUrl: mobile }) => page.trim() || String(mobile).trim(),
  }),
  row.text('slug', 'Ending of the link', {
    isOptional: true,
    isMono: true,
    flag: 'slug',
    // It cannot be changed.
    from: () => '',
  }),
  // Both texts are replaced together.
  row.text('content.title', 'Title', {
    hint: 'Chats and the jump page show it.',
    isOptional: true,
    flag: 'title',
    off: '',
  }),
  row.area('content.description', 'Description', {
    rows: 2,
    isAsTyped: false,
    isOptional: true,
    flag: 'description',
    off: '',
  }),
  row.picture('pictureUrl', 'Picture', {
    hint: 'Chats show it large beside the title. Without it, the icon of the app.',
    isOptional: true,
    empty: 'null',
    flag: 'picture',
    off: '--no-picture',
  }),
  row.json('linkData', 'Data for the app', {
    hint: 'What the app gets when it opens the link, such as {"screen": "offer"}.',
    rows: 4,
    to: (data) => data ?? {},
    flag: 'data',
    off: '{}',
    say: JSON.stringify,
  }),
  row.more('Limits', [
    row.instant('expiresAt', 'Expires', {
      isOptional: true,
      flag: 'expires',
      off: '--no-expires',
      from: (stored) => (typeof stored === 'string' ? instantFrom(stored).toISOString() : null),
    }),
    row.number('lookupLimit', 'App opens at most', {
      hint: 'How often the app may open it.',
      min: 1,
      isOptional: true,
      flag: 'lookups',
      off: '--no-lookups',
    }),
  ]),
)

function addressesOf({ mobileWebFallbackUrl: mobile, desktopWebFallbackUrl: desktop }: NewLink): string[] {
  if (mobile === desktop) return ['--fallback', mobile || 'https://example.com']
  return [...(mobile ? ['--mobile', mobile] : []), '--desktop', desktop]
}

/** A new link, or with `link` the change of one. */
export function LinkForm({ appId, link, base }: { appId: number; link?: Link; base: string | undefined }) {
  const path = link && { appId, id: link.id }
  const all = `/apps/${appId}/links`
  const form = useTable(FORM, {
    of: link,
    read: path && (() => api.get(LINK, { path })),
    draft: link ? `link-${appId}-${link.id}` : `link-${appId}`,
    // The interface takes a list of new links; here it has one.
    names: (values) =>
      Object.fromEntries(Object.entries(namesOf(FORM, values)).map(([place, at]) => [`[0].${place}`, at])),
    call(given, { expiresAt, lookupLimit }): Asked<{ id: number } | { id: number }[]> {
      const body = { ...given, content: given.content ?? {} }
      return path
        ? asked('patch', LINK, { path, body: { ...body, expiresAt, lookupLimit } })
        : asked('post', LINKS, { path: { appId }, body: [body] })
    },
    done(saved) {
      toast(link ? 'The link is changed. Visitors see it within a second.' : 'The link is there.')
      navigate(`${all}/${[saved].flat()[0]!.id}`)
    },
  })
  const addresses = addressesOf(bodyOf(FORM, form.values.value))
  return (
    <TableForm
      form={form}
      submitLabel={link ? 'Save the link' : 'Create the link'}
      cancel={link ? `${all}/${link.id}` : all}
      command={
        link
          ? command`links update --app ${appId} ${link.slug} ${addresses} ${form.flags}`
          : command`links create --app ${appId} ${addresses} ${form.flags}`
      }
      extras={{
        mobileWebFallbackUrl: { autoFocus: !link },
        slug: link
          ? null
          : {
              hint: `${base ?? ''}/${form.values.value.slug.trim() || '…'} – generated when it is empty. It cannot be changed later, because the link may be printed.`,
            },
        expiresAt: () => (
          <div class="stack tight">
            <DateTimeField {...form.field('expiresAt')} label="Expires" isOptional />
            <p class="field-hint">From then on the app gets no data; in a browser the link still works.</p>
          </div>
        ),
        ...(link && { lookupLimit: { hint: `The app has opened it ${link.lookups} times so far.` } }),
      }}
    />
  )
}
