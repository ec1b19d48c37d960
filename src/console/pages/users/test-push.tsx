import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { TextArea, TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { setQuery } from '../../shell/router.ts'
import type { UserProps } from './types.ts'

/** Sends one push to this person alone, and leads to what became of it. */
export function TestDialog({ appId, profile, onClose }: UserProps & { onClose(): void }) {
  const canReach = profile.installs.some(({ push }) => push.state === 'ready')
  const bodyOf = ({ title, message }: { title: string; message: string }) => ({
    target: { userIds: [profile.identifier] },
    content: { title, message },
  })
  const form = useForm(
    { title: 'Test', message: 'This is a test push.' },
    {
      names: { 'content.title': 'title', 'content.message': 'message' },
      submit: async (values) => {
        const { notification } = await api.post('/admin/v1/apps/{appId}/notifications', {
          path: { appId },
          body: bodyOf(values),
        })
        onClose()
        toast('The test push is on its way.')
        if (notification) setQuery({ tab: 'why', notification: String(notification.id) })
      },
    },
  )
  return (
    <Dialog title="Send a test push" onClose={onClose}>
      <Form
        form={form}
        submitLabel="Send it to this user"
        isOff={!canReach}
        more={<Button onClick={onClose}>Cancel</Button>}
        also={
          <AsCommand
            call={{ method: 'POST', path: `/admin/v1/apps/${appId}/notifications`, body: bodyOf(form.values.value) }}
          />
        }
      >
        {!canReach && (
          <Note tone="warn" title="No install of this user gets pushes now.">
            <span>The card “Install” says why.</span>
          </Note>
        )}
        <TextField {...form.field('title')} label="Title" />
        <TextArea {...form.field('message')} label="Message" />
      </Form>
    </Dialog>
  )
}
