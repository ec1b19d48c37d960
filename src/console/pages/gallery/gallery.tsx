import { useSignal } from '@preact/signals'
import { Bell, ChartLine, Plus, Trash2, Users } from 'lucide'
import { useLive } from '../../api/live.ts'
import { useLoad } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button, CopyButton, IconButton } from '../../parts/button.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Code, JsonView } from '../../parts/code.tsx'
import { Combobox } from '../../parts/combobox.tsx'
import { UndoCountdown } from '../../parts/countdown.tsx'
import { DateTimeField } from '../../parts/date-field.tsx'
import { SearchField } from '../../parts/field.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { formatShare } from '../../parts/numbers.ts'
import { ConfirmDialog, Dialog, Menu, toast } from '../../parts/overlays.tsx'
import { ORDER, PLATFORMS } from '../../parts/platforms.ts'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, Empty, Failed, Note, PageHead, Phone, Skeleton, Steps } from '../../parts/surfaces.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import {
  Copyable,
  formatBytes,
  KeyValues,
  Masked,
  Meter,
  More,
  Num,
  Progress,
  Stat,
  Time,
} from '../../parts/values.tsx'
import { viewerZone } from '../../parts/zones.ts'
import { href } from '../../state/router.ts'

/** Every part of the console once, for tests and for developers. */
export default function Gallery() {
  return (
    <div class="page">
      <PageHead
        title="Gallery"
        about="Every part of the console, once."
        crumbs={[{ label: 'Home', href: href('/') }]}
        actions={
          <>
            <Button>Second</Button>
            <Button tone="primary" icon={Plus}>
              First
            </Button>
          </>
        }
      />
      <Buttons />
      <Numbers />
      <Charts />
      <Fields />
      <Tables />
      <Texts />
      <States />
      <Previews />
    </div>
  )
}

function Buttons() {
  const open = useSignal<'dialog' | 'confirm' | undefined>(undefined)
  const close = () => (open.value = undefined)
  return (
    <Card title="Buttons, menus and dialogs">
      <div class="stack">
        <div class="row">
          <Button tone="primary">Primary</Button>
          <Button>Plain</Button>
          <Button tone="bare">Bare</Button>
          <Button tone="danger" icon={Trash2}>
            Delete
          </Button>
          <Button isBusy>Works</Button>
          <Button isOff>Off</Button>
          <Button size="small">Small</Button>
          <IconButton icon={Bell} label="Notifications" />
          <CopyButton text="copied" />
        </div>
        <div class="row">
          <Menu
            label="More"
            items={[
              { label: 'Duplicate', run: () => toast('Duplicated.') },
              { label: 'All users', href: href('/'), icon: Users },
              { label: 'Delete', icon: Trash2, tone: 'danger', isApart: true, run: () => (open.value = 'confirm') },
            ]}
          />
          <Button onClick={() => (open.value = 'dialog')}>Open a dialog</Button>
          <Button onClick={() => (open.value = 'confirm')}>Confirm by typing</Button>
          <Button onClick={() => toast('Taken back.', { label: 'Undo', run: () => {} })}>Show a toast</Button>
        </div>
        <div class="row">
          <Badge>Draft</Badge>
          <Badge tone="accent">Sending</Badge>
          <Badge tone="good">Accepted</Badge>
          <Badge tone="warn">Late</Badge>
          <Badge tone="bad">Failed</Badge>
          <Badge tone="info">Scheduled</Badge>
          <Badge isPlain>iOS</Badge>
        </div>
      </div>
      {open.value === 'dialog' && (
        <Dialog title="A dialog" onClose={close}>
          <p>The focus stays inside. Escape closes it.</p>
          <div class="dialog-foot">
            <Button tone="primary" onClick={close}>
              Done
            </Button>
          </div>
        </Dialog>
      )}
      {open.value === 'confirm' && (
        <ConfirmDialog
          title="Delete the app Bakery?"
          action="Delete the app"
          typed="Bakery"
          run={() => Promise.resolve()}
          onClose={close}
        >
          <p>Its users, messages and links go with it. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

function Numbers() {
  const live = useLive<{ bytes: number }>(
    { events: '/admin/v1/no-events', read: () => Promise.resolve({ bytes: 4_310_000_000 }), isDone: () => true },
    [],
  )
  return (
    <div class="stack">
      <div class="grid stats">
        <Stat label="Reachable installs" value={<Num value={1_204_331} isShort />} more="+2.4 % in 14 days" />
        <Stat label="Sent today" value={<Num value={48_210} />} more={formatShare(47_001, 48_210)} />
        <Stat label="Opened" value={<Num value={3_912} />} more="accepted by the gateway, opened on the phone" />
        <Stat label="Failed" value={<Num value={0} />} />
      </div>
      <Card title="Progress and meters">
        <div class="stack">
          <Progress label="Sending" value={31_000} max={48_210} />
          <Progress label="Counting" />
          <Meter label="Bytes of the payload" value={1_480} max={4_096} />
          <Meter label="Disk" value={82} max={100} text={formatBytes(live.value.value?.bytes ?? 0)} />
          <Meter label="Bytes of the payload" value={4_400} max={4_096} />
          <UndoCountdown
            label="Sending to 1,204 people"
            seconds={600}
            onUndo={() => toast('Taken back.')}
            onDone={() => {}}
          />
        </div>
      </Card>
    </div>
  )
}

const DAYS = Array.from({ length: 14 }, (_, i) => `${i + 1} Nov`)
const sends = DAYS.map((_, i) => 4_000 + Math.round(2_500 * Math.sin(i / 2)) + i * 120)

function Charts() {
  return (
    <div class="grid halves">
      <Card title="Sends and opens" about="A line, with a gap where nothing is known.">
        <Chart
          title="Sends and opens of 14 days"
          kind="line"
          labels={DAYS}
          series={[
            { label: 'Accepted', values: sends.map((value, i) => (i === 5 ? null : value)) },
            { label: 'Opened', values: sends.map((value) => Math.round(value / 7)) },
          ]}
        />
      </Card>
      <Card title="By platform" about="Stacked bars.">
        <Chart
          title="Sends by platform"
          kind="stacked"
          labels={DAYS}
          series={ORDER.map((platform, s) => ({
            label: PLATFORMS[platform].name,
            values: sends.map((value) => Math.round(value / (s + 2))),
          }))}
        />
      </Card>
      <Card title="Area">
        <Chart title="Sessions" kind="area" labels={DAYS} series={[{ label: 'Sessions', values: sends }]} />
      </Card>
      <Card title="Bars">
        <Chart
          title="Opens by hour"
          kind="bar"
          labels={DAYS.slice(0, 7)}
          series={[{ label: 'Opens', values: sends.slice(0, 7) }]}
        />
      </Card>
    </div>
  )
}

const CITIES = ['Amsterdam', 'Berlin', 'Cairo', 'Dakar', 'Edinburgh', 'Florence']

const PUSH = row.table<Record<string, unknown>>()(
  row.halves(
    row.text('title', 'Title', {
      first: 'Fresh bread at four',
      flag: 'title',
      hint: 'Phones show about 40 characters.',
    }),
    row.password('password', 'Password', { first: 'correct horse', path: '', autoComplete: 'current-password' }),
    row.number('count', 'Rate', { first: 3, unit: 'per second', min: 1 }),
    row.select('platform', 'Platform', { first: 'ios', options: row.choices({ ios: 'iOS', android: 'Android' }) }),
    row.instant('at', 'When', { first: '2026-11-23T20:30:00.000Z', isOptional: true }),
    row.own('city', ''),
  ),
  row.area('message', 'Message', { need: 'Write the message.' }),
  row.json('data', 'Data', { first: { screen: 'offers' }, hint: 'The app gets it as it is.', isOptional: true }),
  row.ticks('channels', 'Channels', {
    first: ['news'],
    look: 'cards',
    options: [
      { value: 'news', label: 'News', about: '12,400 people' },
      { value: 'offers', label: 'Offers', about: '8,030 people' },
    ],
  }),
  row.radio('when', 'When', { options: row.choices({ now: 'Now', later: 'At a time' }) }),
  row.toggle('isSilent', 'Silent', { hint: 'No sound and no vibration.' }),
  row.tick('isSure', 'I have checked the preview', { first: true }),
)

function Fields() {
  const form = useTable(PUSH, {
    call: ({ title }) => ({
      method: 'POST',
      path: '/admin/v1/apps/1/notifications',
      body: { title },
      send: () => Promise.reject(new Error('Nothing is sent from the gallery.')),
    }),
  })
  const zone = useSignal(viewerZone())
  const search = useSignal('')
  const city = () => (
    <Combobox
      label="City"
      placeholder="Type to search"
      find={(text) => Promise.resolve(CITIES.filter((one) => one.toLowerCase().includes(text.toLowerCase())))}
      keyOf={(one) => one}
      show={(one) => one}
      textOf={(one) => one}
      onChoose={() => {}}
    />
  )
  const at = () => (
    <DateTimeField
      {...form.field('at')}
      label="When"
      zone={zone.value}
      onZone={(name) => (zone.value = name)}
      isOptional
    />
  )
  return (
    <Card title="Fields" about="Labels above, hints below, errors where they belong.">
      <TableForm
        form={form}
        submitLabel="Send"
        cancel={() => form.reset()}
        command={command`notify ${form.flags}`}
        extras={{ city, at }}
      >
        <FileDrop
          label="Drop a CSV file here"
          hint="One user id a line."
          accept=".csv,text/csv"
          onFiles={([file]) => toast(file!.name)}
        />
        <SearchField label="Search users" value={search.value} onChange={(value) => (search.value = value)} />
      </TableForm>
    </Card>
  )
}

interface Row {
  id: number
  name: string
  sent: number
  at: string
}
const campaign = (id: number): Row => ({
  id,
  name: `Campaign ${id}`,
  sent: (id * 7919) % 50_000,
  at: new Date(Date.UTC(2026, 10, 1 + (id % 22), 9)).toISOString(),
})
const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <a class="cell-link" href={href(`/?row=${id}`)}>
        {name}
      </a>
    ),
    sortBy: ({ name }) => name,
  },
  {
    title: 'State',
    cell: ({ id }) => (id % 5 === 0 ? <Badge tone="bad">Failed</Badge> : <Badge tone="good">Sent</Badge>),
  },
  { title: 'Sent', cell: ({ sent }) => <Num value={sent} />, isNumeric: true, sortBy: ({ sent }) => sent },
  { title: 'When', cell: ({ at }) => <Time at={at} />, isTight: true, sortBy: ({ at }) => at },
  {
    title: '',
    cell: () => <Menu label="Actions" items={[{ label: 'Duplicate', run: () => {} }]} look="button bare small" />,
    isTight: true,
  },
]

function Tables() {
  return (
    <>
      <Card title="A table" isFlush actions={<Button size="small">Download</Button>}>
        <Table
          label="Campaigns"
          columns={COLUMNS}
          rows={Array.from({ length: 6 }, (_, i) => campaign(i + 1))}
          keyOf={({ id }) => id}
          foot={
            <>
              <span>6 of 48 shown</span>
              <Button size="small">Show more</Button>
            </>
          }
        />
      </Card>
      <Card title="A long table" about="Only the rows in sight are drawn." isFlush>
        <Table
          label="Many campaigns"
          columns={COLUMNS.slice(0, 4)}
          rows={Array.from({ length: 5_000 }, (_, i) => campaign(i + 1))}
          keyOf={({ id }) => id}
        />
      </Card>
    </>
  )
}

function Texts() {
  return (
    <div class="grid halves">
      <Card title="Values">
        <KeyValues
          items={[
            ['Id', <Copyable key="id" text="user-17" />],
            ['Server key', <Masked key="key" value="sk_5f2c9a7d1e" what="server key" />],
            ['Last seen', <Time key="seen" at={new Date(Date.now() - 7_200_000)} />],
            ['Language', 'nl-NL'],
            ['Carrier', null],
          ]}
        />
      </Card>
      <Card title="Code and JSON">
        <div class="stack">
          <Code text="appsvc serve --demo" />
          <JsonView value={{ title: 'Hello', badge: 3, isSilent: false, tags: ['a', null] }} />
          <More label="Details">
            <p>Most people do not need them.</p>
          </More>
        </div>
      </Card>
      <Card>
        <Tabs
          label="Views"
          param="gallery"
          items={[
            { name: '1', label: 'Overview', panel: () => <p>The overview.</p> },
            { name: '2', label: 'Installs', panel: () => <p>The installs.</p> },
            { name: '3', label: 'Timeline', panel: () => <p>The timeline.</p> },
          ]}
        />
      </Card>
      <Card title="Steps">
        <Steps
          items={[
            { title: 'Create the app', isDone: true },
            {
              title: 'Connect a gateway',
              about: 'So that pushes reach phones.',
              isDone: false,
              action: (
                <Button size="small" tone="primary">
                  Connect
                </Button>
              ),
            },
            { title: 'Install the app on a phone', about: 'It appears here by itself.', isDone: false },
          ]}
        />
      </Card>
    </div>
  )
}

function States() {
  const broken = useLoad(() => Promise.reject(new Error('The server cannot be reached.')), [])
  return (
    <>
      <div class="stack tight">
        <Note title="A hint in passing." />
        <Note tone="good" title="Everything is well." />
        <Note
          tone="warn"
          title="The certificate of APNs ends in nine days."
          actions={<Button size="small">Renew it</Button>}
        >
          <p>From then on no push reaches an iPhone.</p>
        </Note>
        <Note tone="bad" title="The disk is full: nothing is taken in any more." />
        {broken.error.value !== undefined && <Failed error={broken.error.value} retry={broken.reload} />}
      </div>
      <div class="grid halves">
        <Card title="Nothing there yet">
          <Empty icon={ChartLine} title="No segments yet" action={<Button tone="primary">New segment</Button>}>
            A segment is a group of users that a rule finds: those in Berlin who have not opened the app for a week.
          </Empty>
        </Card>
        <Card title="Being read">
          <div data-example>
            <Skeleton lines={6} />
          </div>
        </Card>
      </div>
    </>
  )
}

function Previews() {
  return (
    <div class="grid halves">
      <Card title="A phone">
        <Phone label="Preview on a phone" look="light">
          <p style={{ padding: '64px 16px' }}>Fresh bread at four</p>
        </Phone>
      </Card>
      <Card title="A browser, dark">
        <Phone label="Preview in a browser" device="browser" look="dark">
          <p style={{ padding: '24px 16px' }}>Fresh bread at four</p>
        </Phone>
      </Card>
    </div>
  )
}
