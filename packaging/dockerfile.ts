/** One instruction of a Dockerfile, with its lines joined. */
export interface Instruction {
  word: string
  rest: string
}

/** The instructions of a Dockerfile in their order, without comments. */
export function instructionsOf(dockerfile: string): Instruction[] {
  const lines = dockerfile.split('\n').filter((line) => !/^\s*#/.test(line))
  const joined = lines.join('\n').replace(/\\\n\s*/g, ' ')
  return joined.split('\n').flatMap((line) => {
    const match = /^([A-Z]+)\s+(.+)$/.exec(line)
    return match ? [{ word: match[1]!, rest: match[2]! }] : []
  })
}

/** The process that the last stage of a Dockerfile makes: environment, user and health check. */
export function imageOf(dockerfile: string) {
  const all = instructionsOf(dockerfile)
  const stage = all.slice(all.findLastIndex(({ word }) => word === 'FROM'))
  const rest = (word: string) => stage.filter((one) => one.word === word).map((one) => one.rest)
  const pairs = rest('ENV').flatMap((text) => [...text.matchAll(/(\w+)=(\S+)/g)])
  return {
    environment: Object.fromEntries(pairs.map(([, name, value]) => [name!, value!])),
    user: Number(rest('USER')[0]?.split(':')[0]),
    entryPoint: JSON.parse(rest('ENTRYPOINT')[0]!) as string[],
    command: JSON.parse(rest('CMD')[0]!) as string[],
    healthCheck: JSON.parse(/CMD\s+(\[.*\])$/.exec(rest('HEALTHCHECK')[0]!)![1]!) as string[],
    volumes: rest('VOLUME'),
  }
}
