/** Tells whether a remedy is a line for a shell and nothing else. */
export const isTyped = (remedy: string) => /^(?:appsvc|chmod|chown|sudo|systemctl) (?!.*(?:, |: ))/.test(remedy)
