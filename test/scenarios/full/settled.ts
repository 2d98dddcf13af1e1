import { createHook } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'

/** Compression runs on threads of its own: the one thing that a controller waits for besides time and the API server. */
let compressing = false

createHook({
  init(_, type) {
    if (type === 'ZLIB') compressing = true
  },
}).enable()

/** To be told whenever a controller shows a sign of life: what it had compressed is there. */
export function isAwake(): void {
  compressing = false
}

/** Resolves when all has happened that needs no time: so the same seed is the same story on any machine. */
export async function settled(): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet = compressing ? 0 : quiet + 1) await setImmediate()
}
