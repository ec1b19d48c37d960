import { appFlag, textArg } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'

const STEPS = {
  pause: {
    summary: 'Pause a send that repeats; what is planned and has not begun is called off',
    description: 'Times that pass meanwhile are left out. appsvc series resume goes on.',
  },
  resume: {
    summary: 'Go on with a send that is paused, or broken and mended',
    description: 'Plans the next time that is to come. What it sends is checked again.',
  },
  end: {
    summary: 'End a send that repeats, for good; what is planned and has not begun is called off',
    description: 'The reports of its times stay.',
  },
} as const

/** The command of one step of a series. */
export const stepCommand = (step: keyof typeof STEPS) =>
  appCommand({
    ...STEPS[step],
    examples: [`appsvc series ${step} 3`],
    args: { id: textArg({ required: true, description: 'series id' }) },
    flags: { app: appFlag },
    read: ({ args }) => typedId(args.id, 'a series'),
    async work({ program, appId, input: id, out }) {
      const [{ presentSeries }, { timeInWords }] = await Promise.all([
        import('../../../present/api/series.ts'),
        import('../../output/series-words.ts'),
      ])
      const series = await program.inTransaction((tx) => tx.series[step](appId, id))
      program.kernel.wake()
      const ahead = await program.series.ahead(series)
      out.value(presentSeries(ahead))
      const next = ahead.next[0] ? `; its next time is ${timeInWords(ahead, ahead.next[0])}` : ''
      out.line(`Series ${id} is ${series.state}${next}.`)
    },
  })
