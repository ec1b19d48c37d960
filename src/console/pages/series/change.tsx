import { api, asked } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Fields } from '../../forms/fields.tsx'
import { useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Form } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { CHANGE, changeOf, hasPlainTexts, TEXTS } from './change-of.ts'
import { Repeat } from './repeat.tsx'
import { type Report, titleOf } from './words.ts'

const SERIES = '/admin/v1/apps/{appId}/series/{id}'

/** Changes a series from its next time on: its rule, and the words of a push. */
export default function ChangeSeries({ appId, params }: PageProps) {
  const id = params['seriesId']!
  const report = useGet(SERIES, { path: { appId, id } })
  const found = report.value.value
  return (
    <div class="page narrow">
      <PageHead
        title="Change the series"
        about="From its next time on. What has begun goes on as it was."
        crumbs={[
          { label: 'Series', href: href(`/apps/${appId}/series`) },
          { label: found ? titleOf(found) : `Series ${id}`, href: href(`/apps/${appId}/series/${id}`) },
        ]}
      />
      <Reading of={report} lines={8}>
        {(now) => <ChangeForm appId={appId} found={now} />}
      </Reading>
    </div>
  )
}

function ChangeForm({ appId, found }: { appId: number; found: Report }) {
  const { id, request } = found
  const path = { appId, id }
  const isPlain = hasPlainTexts(found)
  const form = useTable(CHANGE, {
    of: request,
    read: async () => (await api.get(SERIES, { path })).request,
    first: { isPlain },
    draft: `series-${appId}-${id}`,
    call: (_, values) => asked('patch', SERIES, { path, body: changeOf(request, values) ?? {} }),
    done: () => {
      toast('The series is changed.')
      navigate(`/apps/${appId}/series/${id}`)
    },
  })
  return (
    <Form
      form={form}
      submitLabel="Change the series"
      more={<Button href={href(`/apps/${appId}/series/${id}`)}>Cancel</Button>}
      also={<AsCommand call={form.call!} />}
    >
      <Card title="When">
        <div class="stack">
          <Repeat appId={appId} form={form} />
        </div>
      </Card>
      {isPlain ? (
        <Card title="What">
          <div class="stack">
            <Fields form={form} rows={TEXTS} />
          </div>
        </Card>
      ) : (
        <Note title="What it says stays as it is. To say something else, end it and compose another one." />
      )}
    </Form>
  )
}
