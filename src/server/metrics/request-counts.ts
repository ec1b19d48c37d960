/** One answered request. */
export interface Observation {
  /** Area of the route, or `none`. */
  area: string
  /**
   * Path of the route as it is declared, or the name of a door: never the path of a request, because each value is a
   * series.
   */
  route: string
  method: string
  status: number
  seconds: number
}

/** Seconds: from an answer out of memory to the request timeout. */
export const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The answered requests of one route and method. */
export interface Series extends Pick<Observation, 'area' | 'route' | 'method'> {
  statuses: Map<number, number>
  /** How many took at most as long as each of `DURATIONS`, and not as long as the one before; the last took longer. */
  durations: number[]
  seconds: number
}

/**
 * Counts answered requests. An observation costs three look-ups and three additions: the metrics library, which builds a
 * text of the labels, takes twenty times as long.
 */
export interface RequestCounts {
  observe(seen: Observation): void
  list(): Series[]
  /** Returns what was counted and starts again at zero: a thread hands it over to the main thread. */
  take(): Series[]
  add(counted: readonly Series[]): void
}

export function createRequestCounts(): RequestCounts {
  /** area -> method -> route */
  let areas = new Map<string, Map<string, Map<string, Series>>>()

  function seriesOf(area: string, route: string, method: string): Series {
    let methods = areas.get(area)
    if (!methods) areas.set(area, (methods = new Map()))
    let routes = methods.get(method)
    if (!routes) methods.set(method, (routes = new Map()))
    let series = routes.get(route)
    if (!series) {
      series = { area, route, method, statuses: new Map(), durations: Array(DURATIONS.length + 1).fill(0), seconds: 0 }
      routes.set(route, series)
    }
    return series
  }

  const list = () => [...areas.values()].flatMap((methods) => [...methods.values()].flatMap((of) => [...of.values()]))

  return {
    observe({ area, route, method, status, seconds }) {
      const series = seriesOf(area, route, method)
      series.statuses.set(status, (series.statuses.get(status) ?? 0) + 1)
      let at = 0
      while (at < DURATIONS.length && seconds > DURATIONS[at]!) at++
      series.durations[at]!++
      series.seconds += seconds
    },
    list,
    take() {
      const taken = list()
      areas = new Map()
      return taken
    },
    add(counted) {
      for (const { area, route, method, statuses, durations, seconds } of counted) {
        const series = seriesOf(area, route, method)
        for (const [status, count] of statuses) series.statuses.set(status, (series.statuses.get(status) ?? 0) + count)
        durations.forEach((count, at) => (series.durations[at]! += count))
        series.seconds += seconds
      }
    },
  }
}
