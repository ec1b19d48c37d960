import { type Answer, api, type Body } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { NumberField, RadioGroup, SelectField, TextArea, TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { commandLine } from '../../parts/shell-words.ts'
import { Card } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import { href, navigate } from '../../shell/router.ts'
import { ColorField } from './color-field.tsx'
import { BannerView } from './visitor-view.tsx'
import { BOX_COLORS } from './words.ts'

type Banner = Answer<'/admin/v1/apps/{appId}/banners/{uuid}'>
type NewBanner = Body<'/admin/v1/apps/{appId}/banners', 'post'>

const COLORS = { ...BOX_COLORS, ratingFg: '#b26a00' }

interface Values {
  link: string
  heading: string
  body: string
  acceptAction: string
  declineAction: string
  position: 'top' | 'bottom' | ''
  imageUrl: string
  fg: string
  bg: string
  acceptActionFg: string
  acceptActionBg: string
  declineActionFg: string
  declineActionBg: string
  event: string
  afterSeconds: number | null
  decline: 'decline' | 'remind'
  days: number | null
  rating: number | null
  ratingCount: number | null
}

/** Hours that are no whole days are rounded up. */
function daysOf(delay: { duration: number; timeUnit: string } | undefined): number {
  if (!delay) return 7
  return delay.timeUnit === 'days' ? delay.duration : Math.max(1, Math.ceil(delay.duration / 24))
}

const valuesOf = (banner: Banner | undefined): Values => ({
  link: banner?.link ?? '',
  heading: banner?.labels['heading'] ?? '',
  body: banner?.labels['body'] ?? '',
  acceptAction: banner?.labels['acceptAction'] ?? 'Open the app',
  declineAction: banner?.labels['declineAction'] ?? 'Not now',
  position: banner?.position ?? 'bottom',
  imageUrl: banner?.imageUrl ?? '',
  ...colorsOf(banner),
  event: banner?.trigger.event ?? 'k.pageViewed',
  afterSeconds: banner?.trigger.afterSeconds ?? null,
  decline: banner?.uiActions.decline.type ?? 'remind',
  days: daysOf(banner?.uiActions.decline.delay),
  rating: banner?.appRating?.rating ?? null,
  ratingCount: banner?.appRating?.ratingCount ?? null,
})

function colorsOf(banner: Banner | undefined) {
  const { fg, bg, acceptActionFg, acceptActionBg, declineActionFg, declineActionBg } = { ...COLORS, ...banner?.colors }
  return { fg, bg, acceptActionFg, acceptActionBg, declineActionFg, declineActionBg }
}

function bodyOf(values: Values, before: Banner | undefined): NewBanner {
  const { heading, body, acceptAction, declineAction, fg, bg, rating, ratingCount } = values
  const { acceptActionFg, acceptActionBg, declineActionFg, declineActionBg } = values
  const filters = before?.trigger.filters
  return {
    link: values.link.trim(),
    labels: { heading, body, acceptAction, declineAction },
    position: values.position || 'bottom',
    ...(values.imageUrl.trim() !== '' && { imageUrl: values.imageUrl.trim() }),
    colors: {
      fg,
      bg,
      acceptActionFg,
      acceptActionBg,
      declineActionFg,
      declineActionBg,
      ratingFg: before?.colors['ratingFg'] ?? COLORS.ratingFg,
    },
    trigger: {
      event: values.event.trim(),
      ...(values.afterSeconds !== null && { afterSeconds: values.afterSeconds }),
      ...(filters && { filters }),
    },
    ...(rating !== null && ratingCount !== null && { appRating: { rating, ratingCount } }),
    uiActions: {
      decline:
        values.decline === 'decline'
          ? { type: 'decline' }
          : { type: 'remind', delay: { duration: values.days ?? 1, timeUnit: 'days' } },
    },
  }
}

const need = (text: string) => (text.trim() === '' ? 'People see it: write something.' : undefined)

/** A new banner, or with `banner` the change of one, beside what visitors see. */
export function BannerForm({ appId, banner }: { appId: number; banner?: Banner }) {
  const form = useForm<Values>(valuesOf(banner), {
    draft: `banner-${appId}-${banner?.uuid ?? 'new'}`,
    edits: banner && {
      before: banner,
      read: () => api.get('/admin/v1/apps/{appId}/banners/{uuid}', { path: { appId, uuid: banner.uuid } }),
    },
    names: {
      'labels.heading': 'heading',
      'labels.body': 'body',
      'labels.acceptAction': 'acceptAction',
      'labels.declineAction': 'declineAction',
      'colors.fg': 'fg',
      'colors.bg': 'bg',
      'colors.acceptActionFg': 'acceptActionFg',
      'colors.acceptActionBg': 'acceptActionBg',
      'colors.declineActionFg': 'declineActionFg',
      'colors.declineActionBg': 'declineActionBg',
      'trigger.event': 'event',
      'trigger.afterSeconds': 'afterSeconds',
      'uiActions.decline.delay.duration': 'days',
      'appRating.rating': 'rating',
      'appRating.ratingCount': 'ratingCount',
    },
    check: ({ link, heading, body, acceptAction, declineAction, rating, ratingCount }) => ({
      link: link.trim() === '' ? 'Say which link it opens.' : undefined,
      heading: need(heading),
      body: need(body),
      acceptAction: need(acceptAction),
      declineAction: need(declineAction),
      ratingCount: rating !== null && ratingCount === null ? 'Say how many people rated it.' : undefined,
      rating: rating === null && ratingCount !== null ? 'Give the stars, too.' : undefined,
    }),
    submit: async (values) => {
      const body = bodyOf(values, banner)
      if (banner) {
        await api.patch('/admin/v1/apps/{appId}/banners/{uuid}', { path: { appId, uuid: banner.uuid }, body })
        toast('The banner is changed. Browsers show it so within an hour.')
      } else {
        await api.post('/admin/v1/apps/{appId}/banners', { path: { appId }, body })
        toast('The banner is there. Browsers show it within an hour.')
      }
      navigate(`/apps/${appId}/banners`)
    },
  })
  const values = form.values.value
  const body = bodyOf(values, banner)
  const at = `/admin/v1/apps/${appId}/banners`
  const { heading, body: text, acceptAction, declineAction, rating, ratingCount } = values
  return (
    <div class="banner-editor">
      <Card>
        <Form
          form={form}
          submitLabel={banner ? 'Save the banner' : 'Create the banner'}
          more={<Button href={href(`/apps/${appId}/banners`)}>Cancel</Button>}
          also={
            <AsCommand
              command={`echo '${JSON.stringify(body).replaceAll("'", `'\\''`)}' | ${commandLine(
                'banners',
                banner ? 'update' : 'create',
                '--app',
                appId,
                banner?.uuid,
                '--file',
                '-',
              )}`}
              call={
                banner ? { method: 'PATCH', path: `${at}/${banner.uuid}`, body } : { method: 'POST', path: at, body }
              }
            />
          }
        >
          <TextField
            {...form.field('link')}
            label="Link that it opens"
            placeholder="spring-sale"
            hint={
              <>
                The ending of its address; all of them are in <a href={href(`/apps/${appId}/links`)}>Links</a>.
              </>
            }
            isMono
          />
          <TextField {...form.field('heading')} label="Heading" autoFocus={!banner} />
          <TextArea {...form.field('body')} label="Text" rows={2} />
          <div class="grid halves">
            <TextField {...form.field('acceptAction')} label="Button that opens" />
            <TextField {...form.field('declineAction')} label="Button that closes" />
          </div>
          <RadioGroup
            {...form.field('position')}
            label="Where"
            options={[
              { value: 'bottom', label: 'Bottom of the page' },
              { value: 'top', label: 'Top of the page' },
            ]}
          />
          <More label="Picture and rating">
            <div class="stack">
              <TextField {...form.field('imageUrl')} label="Address of a picture" type="url" isOptional />
              <div class="grid halves">
                <NumberField {...form.field('rating')} label="Stars" min={0} max={5} step={0.1} isOptional />
                <NumberField {...form.field('ratingCount')} label="Number of ratings" min={0} isOptional />
              </div>
            </div>
          </More>
          <More label="Colours">
            <div class="grid halves">
              <ColorField {...form.field('fg')} label="Text colour" />
              <ColorField {...form.field('bg')} label="Ground" />
              <ColorField {...form.field('acceptActionFg')} label="Text of the opening button" />
              <ColorField {...form.field('acceptActionBg')} label="Ground of the opening button" />
              <ColorField {...form.field('declineActionFg')} label="Text of the closing button" />
              <ColorField {...form.field('declineActionBg')} label="Ground of the closing button" />
            </div>
          </More>
          <More label="When">
            <div class="stack">
              <TextField
                {...form.field('event')}
                label="Event of the page"
                hint="k.pageViewed is every page; your page can track others."
                isMono
              />
              <NumberField {...form.field('afterSeconds')} label="Wait" unit="seconds" min={0} isOptional />
              <SelectField
                {...form.field('decline')}
                label="After somebody closed it"
                options={[
                  { value: 'remind', label: 'Show it again later' },
                  { value: 'decline', label: 'Never show it again' },
                ]}
              />
              {values.decline === 'remind' && (
                <NumberField {...form.field('days')} label="Again after" unit="days" min={1} max={365} />
              )}
            </div>
          </More>
        </Form>
      </Card>
      <div class="banner-side">
        <BannerView
          position={values.position || 'bottom'}
          labels={{ heading, body: text, acceptAction, declineAction }}
          colors={{ ...values, ratingFg: COLORS.ratingFg }}
          rating={rating !== null && ratingCount !== null ? { rating, ratingCount } : undefined}
          hasPicture={values.imageUrl.trim() !== ''}
        />
        <p class="quiet small-text">As visitors see it, as close as this page can draw it.</p>
      </div>
    </div>
  )
}
