import { parseQuantity } from '../protocol/quantity.ts'

/** What a machine has, as its kubelet reports it in `status.capacity`. */
export interface Capacity {
  /** CPUs. */
  readonly cpu?: number
  /** Bytes, rounded up to 256Mi. */
  readonly memory?: number
}

/** Machines of one kind report some MiB more or less, and another kernel a few more: none of that may be another configuration. */
const MEMORY_STEP = 256 * 2 ** 20

/** Who has the credential of a kubelet writes this: beyond what machines have, it counts as not reported. */
const MOST_CPUS = 4096
const MOST_MEMORY = 2 ** 50

export function capacityOf(reported: Readonly<Record<string, unknown>> = {}): Capacity {
  const [cpu, memory] = [parseQuantity(reported.cpu), parseQuantity(reported.memory)]
  return {
    ...(cpu !== undefined && cpu > 0 && cpu <= MOST_CPUS && { cpu }),
    ...(memory !== undefined && memory > 0 && memory <= MOST_MEMORY && { memory: Math.ceil(memory / MEMORY_STEP) * MEMORY_STEP }),
  }
}
