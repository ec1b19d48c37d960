import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Name, meaning and labels of a metric. */
interface MetricOptions<L extends string> {
  /** In snake_case, ending in the unit, without the prefix. */
  name: string
  help: string
  labels?: readonly L[]
}

/** One series of a histogram. */
interface Distribution<L extends string = string> {
  labels: Record<L, string>
  /** By bucket, those of smaller buckets not included; the last one is above all buckets. */
  counts: readonly number[]
  sum: number
}

/** Metrics of one process in the Prometheus text format. */
export interface Metrics {
  /** A value that only increases; it starts at 0 after a restart. */
  counter<L extends string = never>(options: MetricOptions<L>): Counter<L>
  /** A value that can go up and down. */
  gauge<L extends string = never>(options: MetricOptions<L>): Gauge<L>
  /** A histogram of what the program counts by itself; `read` returns its series when they are collected. */
  histogram<L extends string = never>(
    options: MetricOptions<L> & { buckets: readonly number[] },
    read: () => Distribution<L>[],
  ): void
  /** Media type of `text`. */
  contentType: string
  text(): Promise<string>
}

/**
 * Creates a registry whose metric names start with `prefix`. It includes metrics of the process: memory, CPU, event
 * loop.
 */
export function createMetrics(prefix: string): Metrics {
  const registry = new Registry()
  const common = <L extends string>({ name, help, labels = [] }: MetricOptions<L>) => ({
    name: prefix + name,
    help,
    labelNames: labels,
    registers: [registry],
  })
  const metrics: Metrics = {
    counter: (options) => new Counter(common(options)),
    gauge: (options) => new Gauge(common(options)),
    histogram(options, read) {
      new CountedHistogram({ ...common(options), buckets: [...options.buckets] }).read = read
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
  const measure = measureProcess(metrics)
  return {
    ...metrics,
    text() {
      measure()
      return metrics.text()
    },
  }
}

/** The library's own histogram makes a text of the labels for each value that it is given. */
class CountedHistogram<L extends string> extends Histogram<L> {
  read: () => Distribution<L>[] = () => []
  #name: string
  #help: string
  #buckets: readonly number[]

  constructor(options: {
    name: string
    help: string
    labelNames: readonly L[]
    buckets: number[]
    registers: Registry[]
  }) {
    super(options)
    this.#name = options.name
    this.#help = options.help
    this.#buckets = options.buckets
  }

  /** What the registry collects. */
  async getForPromString() {
    const values = this.read().flatMap(({ labels, counts, sum }) => {
      let total = 0
      const buckets = counts.map((count, at) => {
        total += count
        return {
          metricName: `${this.#name}_bucket`,
          labels: { le: this.#buckets[at] ?? '+Inf', ...labels },
          value: total,
        }
      })
      return [
        ...buckets,
        { metricName: `${this.#name}_sum`, labels, value: sum },
        { metricName: `${this.#name}_count`, labels, value: total },
      ]
    })
    return { name: this.#name, help: this.#help, type: 'histogram', values }
  }
}

/** Sampling interval of the event loop; shorter delays are not detected. */
const LOOK_MS = 20
const PERCENTILES = [50, 99, 100]

type Delays = ReturnType<typeof monitorEventLoopDelay>

/** Delays of the main event loop, shared by all registries. */
let delays: Delays | undefined

function eventLoopDelays(): Delays {
  if (!delays) {
    delays = monitorEventLoopDelay({ resolution: LOOK_MS })
    delays.enable()
  }
  return delays
}

/** Adds the metrics of the process; returns a function that updates them. */
function measureProcess({ counter, gauge }: Metrics): () => void {
  const resident = gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of the whole process, threads included',
  })
  const heap = gauge({ name: 'process_heap_used_bytes', help: 'JavaScript heap in use in the main thread' })
  const processor = counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the whole process, threads included',
  })
  const started = gauge({ name: 'process_start_time_seconds', help: 'When the process started, seconds since 1970' })
  const lag = gauge({
    name: 'event_loop_lag_seconds',
    help: 'How late the event loop of the main thread was since the last scrape; percentile 100 is the worst',
    labels: ['percentile'],
  })
  const histogram = eventLoopDelays()
  started.set(Math.round(Date.now() / 1000 - process.uptime()))

  return () => {
    const { rss, heapUsed } = process.memoryUsage()
    resident.set(rss)
    heap.set(heapUsed)
    const { user, system } = process.cpuUsage()
    processor.reset()
    processor.inc((user + system) / 1e6)
    for (const percentile of PERCENTILES) {
      // The histogram holds the time between two samples; it is empty before the first.
      const delayMs = histogram.count === 0 ? LOOK_MS : histogram.percentile(percentile) / 1e6
      lag.set({ percentile }, Math.max(0, delayMs - LOOK_MS) / 1000)
    }
    histogram.reset()
  }
}
