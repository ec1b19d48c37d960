import { api, type Body } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { DateTimeField } from '../../parts/date-field.tsx'
import { NumberField, TextArea, TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { toast } from '../../parts/overlays.tsx'
import { commandLine } from '../../parts/shell-words.ts'
import { More } from '../../parts/values.tsx'
import { instantFrom } from '../../parts/zones.ts'
import { href, navigate } from '../../shell/router.ts'
import type { Link } from './words.ts'

interface Values {
  mobileWebFallbackUrl: string
  desktopWebFallbackUrl: string
  slug: string
  title: string
  description: string
  linkData: unknown
  expiresAt: string | null
  lookupLimit: number | null
}

type NewLink = Body<'/admin/v1/apps/{appId}/deep-links', 'post'>[number]

const valuesOf = (link: Link | undefined): Values => ({
  mobileWebFallbackUrl: link?.mobileWebFallbackUrl ?? '',
  desktopWebFallbackUrl: link?.desktopWebFallbackUrl ?? '',
  slug: link?.slug ?? '',
  title: link?.content.title ?? '',
  description: link?.content.description ?? '',
  linkData: link?.linkData ?? {},
  expiresAt: link?.expiresAt ? instantFrom(link.expiresAt).toISOString() : null,
  lookupLimit: link?.lookupLimit ?? null,
})

/** What both calls have. A page for computers that is left empty is that for phones. */
function shared(values: Values) {
  const mobile = values.mobileWebFallbackUrl.trim()
  const [title, description] = [values.title.trim(), values.description.trim()]
  return {
    linkData: (values.linkData ?? {}) as Record<string, unknown>,
    content: { ...(title !== '' && { title }), ...(description !== '' && { description }) },
    mobileWebFallbackUrl: mobile,
    desktopWebFallbackUrl: values.desktopWebFallbackUrl.trim() || mobile,
  }
}

function newBody(values: Values): NewLink {
  const slug = values.slug.trim()
  return {
    ...shared(values),
    ...(slug !== '' && { slug }),
    ...(values.expiresAt !== null && { expiresAt: values.expiresAt }),
    ...(values.lookupLimit !== null && { lookupLimit: values.lookupLimit }),
  }
}

const changeBody = (values: Values) => ({
  ...shared(values),
  expiresAt: values.expiresAt,
  lookupLimit: values.lookupLimit,
})

/** `--title X` where there is a text. */
const flag = (name: string, value: string | number | null | undefined) =>
  value === null || value === undefined || value === '' ? [] : [`--${name}`, value]

function commandOf(appId: number, values: Values, link: Link | undefined): string {
  const { linkData, content, mobileWebFallbackUrl, desktopWebFallbackUrl } = shared(values)
  const { expiresAt, lookupLimit } = values
  const addresses =
    mobileWebFallbackUrl === desktopWebFallbackUrl
      ? flag('fallback', mobileWebFallbackUrl || 'https://example.com')
      : [...flag('mobile', mobileWebFallbackUrl), ...flag('desktop', desktopWebFallbackUrl)]
  const texts = [...flag('title', content.title), ...flag('description', content.description)]
  const data = flag('data', JSON.stringify(linkData))
  if (!link) {
    const limits = [...flag('expires', expiresAt), ...flag('lookups', lookupLimit)]
    return commandLine(
      'links',
      'create',
      '--app',
      appId,
      ...addresses,
      ...flag('slug', values.slug),
      ...texts,
      ...data,
      ...limits,
    )
  }
  const limits = [
    ...(expiresAt === null ? ['--no-expires'] : flag('expires', expiresAt)),
    ...(lookupLimit === null ? ['--no-lookups'] : flag('lookups', lookupLimit)),
  ]
  // Both texts are replaced together.
  const both = texts.length === 0 ? ['--title', '', '--description', ''] : texts
  return commandLine('links', 'update', '--app', appId, link.slug, ...addresses, ...both, ...data, ...limits)
}

/** A new link, or with `link` the change of one. */
export function LinkForm({ appId, link, base }: { appId: number; link?: Link; base: string | undefined }) {
  const path = { appId }
  const form = useForm<Values>(valuesOf(link), {
    draft: link ? `link-${appId}-${link.id}` : `link-${appId}`,
    edits: link && {
      before: link,
      read: () => api.get('/admin/v1/apps/{appId}/deep-links/{id}', { path: { appId, id: link.id } }),
    },
    names: {
      'content.title': 'title',
      'content.description': 'description',
      ...Object.fromEntries(Object.keys(valuesOf(undefined)).map((name) => [`[0].${name}`, name as keyof Values])),
      '[0].content.title': 'title',
      '[0].content.description': 'description',
    },
    check: ({ mobileWebFallbackUrl }) => ({
      mobileWebFallbackUrl:
        mobileWebFallbackUrl.trim() === '' ? 'Give the page for people without the app.' : undefined,
    }),
    submit: async (values) => {
      if (link) {
        await api.patch('/admin/v1/apps/{appId}/deep-links/{id}', {
          path: { appId, id: link.id },
          body: changeBody(values),
        })
        toast('The link is changed. Visitors see it within a second.')
        navigate(`/apps/${appId}/links/${link.id}`)
        return
      }
      const [made] = await api.post('/admin/v1/apps/{appId}/deep-links', { path, body: [newBody(values)] })
      toast('The link is there.')
      navigate(`/apps/${appId}/links/${made!.id}`)
    },
  })
  const values = form.values.value
  const at = `/admin/v1/apps/${appId}/deep-links`
  const call = link
    ? ({ method: 'PATCH', path: `${at}/${link.id}`, body: changeBody(values) } as const)
    : ({ method: 'POST', path: at, body: [newBody(values)] } as const)
  const back = link ? `/apps/${appId}/links/${link.id}` : `/apps/${appId}/links`
  return (
    <Form
      form={form}
      submitLabel={link ? 'Save the link' : 'Create the link'}
      more={<Button href={href(back)}>Cancel</Button>}
      also={<AsCommand command={commandOf(appId, values, link)} call={call} />}
    >
      <TextField
        {...form.field('mobileWebFallbackUrl')}
        label="Page for people without the app"
        type="url"
        placeholder="https://example.com/offer"
        hint="Phones come here when no store has the app, and from the button “Continue on the website”."
        autoFocus={!link}
      />
      <TextField
        {...form.field('desktopWebFallbackUrl')}
        label="Page for computers"
        type="url"
        hint="Leave it empty to use the same page."
        isOptional
      />
      {link ? null : (
        <TextField
          {...form.field('slug')}
          label="Ending of the address"
          hint={`${base ?? ''}/${values.slug.trim() || '…'} – generated when it is empty. It cannot be changed later, because the address may be printed.`}
          isOptional
          isMono
        />
      )}
      <TextField {...form.field('title')} label="Title" hint="Chats and the jump page show it." isOptional />
      <TextArea {...form.field('description')} label="Description" rows={2} isOptional />
      <JsonField
        {...form.field('linkData')}
        label="Data for the app"
        hint={'What the app gets when it opens the link, such as {"screen": "offer"}.'}
        rows={4}
      />
      <More label="Limits" isOpen={values.expiresAt !== null || values.lookupLimit !== null}>
        <div class="stack">
          <div class="stack tight">
            <DateTimeField {...form.field('expiresAt')} label="Expires" isOptional />
            <p class="field-hint">From then on the app gets no data; in a browser the link still works.</p>
          </div>
          <NumberField
            {...form.field('lookupLimit')}
            label="Matches at most"
            hint={link ? `The app has opened it ${link.lookups} times so far.` : 'How often the app may open it.'}
            min={1}
            isOptional
          />
        </div>
      </More>
    </Form>
  )
}
