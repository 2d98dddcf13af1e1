import * as z from 'zod/mini'
import { defineKind } from '../../../src/agent/resources/define-kind.ts'
import type { HostHands, Kind } from '../../../src/agent/resources/kind.ts'

/*
 * A kind that no other file of the project knows: lamps, each of which is in one of a few positions. The host shows and takes the position
 * of a lamp as a file below /sys/lamps.
 */
const lamp = z.object({ name: z.string(), position: z.nullable(z.string()) })
type Lamp = z.infer<typeof lamp>

export const lamps: Kind<Lamp> = defineKind({
  name: 'lamp',
  version: 1,
  subject: ({ name }: Lamp) => placeOf(name),
  observe: ({ name }, host) => positionOf(name, host),
  differ: (wanted, actual) => (wanted.position === actual ? undefined : wanted),
  perform: turn,
  undo: {
    fidelity: 'exact',
    schema: lamp,
    leavesTrace: true,
    prepare: async ({ name }, { host }) => ({ name, position: await positionOf(name, host) }),
    perform: turn,
    isUndone: async ({ name, position }, host) => (await positionOf(name, host)) === position,
  },
  baseline: {
    collection: 'lamps',
    schema: lamp,
    key: ({ name }) => placeOf(name),
    capture: async ({ key }, { host }) => {
      const name = key.slice(placeOf('').length)
      return { name, position: await positionOf(name, host) }
    },
    giveBack: async (base) => lamps.of(base),
  },
  section: {
    key: 'lamps',
    schema: z.record(z.string(), z.string()),
    managed: (wanted: Record<string, string>) => ({
      claims: Object.keys(wanted).map((name) => ({ kind: 'lamp', key: placeOf(name) })),
      triggers: [],
    }),
    resources: async (wanted: Record<string, string>) =>
      Object.entries(wanted).map(([name, position]) => lamps.of({ name, position })),
  },
})

function placeOf(name: string): string {
  return `/sys/lamps/${name}`
}

async function positionOf(name: string, { files }: Pick<HostHands, 'files'>): Promise<string | null> {
  const bytes = await files.read(placeOf(name))
  return bytes === undefined ? null : Buffer.from(bytes).toString()
}

async function turn({ name, position }: Lamp, { files }: HostHands): Promise<void> {
  if (position === null) return files.remove(placeOf(name))
  await files.writeAtomic(placeOf(name), Buffer.from(position))
}
