import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { runSeeds } from './campaign.ts'

const BATCH = 100
const { name, first, time } = workerData as { readonly name: string; readonly first: number; readonly time: number }
const end = performance.now() + time

for (let from = first; performance.now() < end; from += BATCH) {
  const found = await runSeeds(name, { from, to: from + BATCH })
  if (found) {
    parentPort?.postMessage(found)
    break
  }
  parentPort?.postMessage({ at: from + BATCH })
  // Node gives back what zlib held in a turn of its loop only, and targets that wait for nothing real leave it none.
  await nextTurn()
}
