import { type Answer, type Asked, api, asked, type Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { bodyOf } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { command, piped } from '../../parts/shell-words.ts'
import { Card } from '../../parts/surfaces.tsx'
import { href, navigate } from '../../state/router.ts'
import { BannerView, BesideView } from './visitor-view.tsx'
import { BOX_COLORS, eventRow, PLACES, seen, waitRow } from './words.ts'

type Banner = Answer<'/admin/v1/apps/{appId}/banners/{uuid}'>
type NewBanner = Body<'/admin/v1/apps/{appId}/banners', 'post'>

/** Hours that are no whole days are rounded up. */
function daysOf(stored: unknown): number | undefined {
  const delay = stored as { duration: number; timeUnit: string } | undefined
  if (!delay) return undefined
  return delay.timeUnit === 'days' ? delay.duration : Math.max(1, Math.ceil(delay.duration / 24))
}

const BANNER = row.table<NewBanner>()(
  row.text('link', 'Link that it opens', {
    placeholder: 'spring-sale',
    isMono: true,
    need: 'Say which link it opens.',
  }),
  row.text('labels.heading', 'Heading', seen),
  row.area('labels.body', 'Text', { ...seen, rows: 2 }),
  row.halves(
    row.text('labels.acceptAction', 'Button that opens', { ...seen, first: 'Open the app' }),
    row.text('labels.declineAction', 'Button that closes', { ...seen, first: 'Not now' }),
  ),
  row.radio('position', 'Where', {
    first: 'bottom',
    options: row.choices(PLACES),
  }),
  row.more('Picture and rating', [
    row.text('imageUrl', 'Link to a picture', { type: 'url', isOptional: true }),
    row.halves(
      row.number('appRating.rating', 'Stars', {
        min: 0,
        max: 5,
        step: 0.1,
        isOptional: true,
        check: (stars, values) =>
          stars === null && values['appRating.ratingCount'] !== null ? 'Give the stars, too.' : undefined,
      }),
      row.number('appRating.ratingCount', 'Number of ratings', {
        min: 0,
        isOptional: true,
        check: (count, values) =>
          count === null && values['appRating.rating'] !== null ? 'Say how many people rated it.' : undefined,
      }),
    ),
  ]),
  row.more('Colours', [
    row.halves(
      row.color('colors.fg', 'Text colour', { first: BOX_COLORS.fg }),
      row.color('colors.bg', 'Background', { first: BOX_COLORS.bg }),
      row.color('colors.acceptActionFg', 'Text of the opening button', { first: BOX_COLORS.acceptActionFg }),
      row.color('colors.acceptActionBg', 'Background of the opening button', { first: BOX_COLORS.acceptActionBg }),
      row.color('colors.declineActionFg', 'Text of the closing button', { first: BOX_COLORS.declineActionFg }),
      row.color('colors.declineActionBg', 'Background of the closing button', { first: BOX_COLORS.declineActionBg }),
      row.own('colors.ratingFg', '#b26a00'),
    ),
  ]),
  row.more('When', [
    eventRow,
    waitRow,
    row.own('trigger.filters', undefined as unknown, { empty: 'absent' }),
    row.select('uiActions.decline.type', 'After somebody closed it', {
      first: 'remind',
      options: row.choices({ remind: 'Show it again later', decline: 'Never show it again' }),
    }),
    row.number('days', 'Again after', {
      path: 'uiActions.decline.delay',
      also: ['uiActions.decline.delay.duration'],
      first: 7,
      unit: 'days',
      min: 1,
      max: 365,
      when: (values) => values['uiActions.decline.type'] === 'remind',
      to: (days) => ({ duration: days ?? 1, timeUnit: 'days' }),
      from: daysOf,
    }),
  ]),
)

/** A new banner, or with `banner` the change of one, beside what visitors see. */
export function BannerForm({ appId, banner }: { appId: number; banner?: Banner }) {
  const all = `/apps/${appId}/banners`
  const path = banner && { appId, uuid: banner.uuid }
  const form = useTable(BANNER, {
    of: banner,
    read: path && (() => api.get('/admin/v1/apps/{appId}/banners/{uuid}', { path })),
    draft: `banner-${appId}-${banner?.uuid ?? 'new'}`,
    call: (body): Asked<unknown> =>
      path
        ? asked('patch', '/admin/v1/apps/{appId}/banners/{uuid}', { path, body })
        : asked('post', '/admin/v1/apps/{appId}/banners', { path: { appId }, body }),
    done() {
      toast(`The banner is ${banner ? 'changed. Browsers show it so' : 'there. Browsers show it'} within an hour.`)
      navigate(all)
    },
  })
  const { labels, colors, position, appRating, imageUrl } = bodyOf<Banner>(BANNER, form.values.value)
  const hasRating = appRating?.rating !== undefined && appRating.ratingCount !== undefined
  const into = command`banners ${banner ? 'update' : 'create'} --app ${appId} ${banner?.uuid} --file -`
  return (
    <div class="banner-editor">
      <Card>
        <TableForm
          form={form}
          submitLabel={banner ? 'Save the banner' : 'Create the banner'}
          cancel={all}
          command={piped(form.call?.body, into)}
          extras={{
            link: {
              hint: (
                <>
                  The ending of its URL; all of them are in <a href={href(`/apps/${appId}/links`)}>Links</a>.
                </>
              ),
            },
            'labels.heading': { autoFocus: !banner },
          }}
        />
      </Card>
      <BesideView>
        <BannerView
          position={position}
          labels={labels}
          colors={colors}
          rating={hasRating ? appRating : undefined}
          hasPicture={imageUrl !== undefined}
        />
      </BesideView>
    </div>
  )
}
