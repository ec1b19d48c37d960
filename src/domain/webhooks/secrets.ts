/** The context under which a secret is sealed: it opens for its own webhook only. */
export const sealContext = (webhookId: number): string => `webhook ${webhookId} secret`
