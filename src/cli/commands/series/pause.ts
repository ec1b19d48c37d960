import { stepCommand } from './step.ts'

export const SeriesPause = stepCommand('pause')
