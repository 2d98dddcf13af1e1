import { setImmediate } from 'node:timers/promises'

/** Resolves when all has happened that needs no time: so the same seed is the same story on any machine. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate()
}
