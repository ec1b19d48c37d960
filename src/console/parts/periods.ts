/** Periods of figures that people choose from. */
export const PERIODS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const

export type Period = (typeof PERIODS)[number]['value']

/** The period that an address names; 30 days where it names none that there is. */
export const periodOf = (given: string | null): Period => PERIODS.find(({ value }) => value === given)?.value ?? '30'
