import type { Answer, Body } from '../../../api/client.ts'

/** The body of a send. */
export type Push = Body<'/admin/v1/apps/{appId}/notifications', 'post'>
export type SendRequest = Answer<'/admin/v1/apps/{appId}/notifications/{id}/request'>
export type Estimate = Answer<'/admin/v1/apps/{appId}/notifications/estimate', 'post'>
export type Rendered = NonNullable<Answer<'/admin/v1/apps/{appId}/notifications/payloads', 'post'>['rendered']>
