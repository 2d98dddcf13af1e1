import * as z from 'zod/mini'
import { KUBELET_UNIT } from '../paths.ts'
import { defineKind } from './define-kind.ts'
import type { Kind } from './kind.ts'

interface StateSpec {
  readonly path: string
  /** A path of the transaction, to which it is moved. */
  readonly aside: string
  /** Containers have CPUs or memory of their own by it. */
  readonly isInUse: boolean
}

const stateUndo = z.object({ path: z.string(), aside: z.string(), mode: z.number(), uid: z.number(), gid: z.number() })

/**
 * A state file that the kubelet which is going to run would refuse. It is moved aside while no kubelet runs, since a running one writes
 * it again. The restart after all changes starts the kubelet, which makes a new one. It is part of a plan whenever it is to be moved.
 */
export const kubeletState: Kind<StateSpec> = defineKind({
  name: 'kubelet-state',
  version: 1,
  subject: ({ path }: StateSpec) => path,
  observe: async () => undefined,
  differ: (spec) => spec,
  // The kubelet gives running containers other CPUs, or takes theirs away.
  disruption: ({ isInUse }) => (isInUse ? 'drain' : 'restart'),
  // As late as possible, and before a kubelet is started that does not run yet.
  order: () => 2,
  effects: () => ({ pauses: true }),
  perform: async ({ path, aside }, { files, services }) => {
    await services.stop(KUBELET_UNIT)
    if ((await files.stat(path)) === undefined) return
    await files.keep(path, aside)
    await files.remove(path)
  },
  undo: {
    fidelity: 'exact',
    schema: stateUndo,
    // Each kubelet writes it.
    leavesTrace: false,
    prepare: async ({ path, aside }, { host }) => {
      const { mode = 0o600, uid = 0, gid = 0 } = (await host.files.stat(path)) ?? {}
      return { path, aside, mode, uid, gid }
    },
    perform: async ({ path, aside, ...ownership }, { files, services }) => {
      if ((await files.stat(aside)) === undefined) return
      await services.stop(KUBELET_UNIT)
      await files.restore(aside, path, ownership)
    },
    isUndone: async ({ path, aside }, { files }) => {
      const kept = await files.sha256(aside)
      return kept === undefined || kept === (await files.sha256(path))
    },
  },
  baseline: {
    // It is never claimed: it belongs to the kubelet.
    collection: 'kubeletStates',
    schema: stateUndo,
    key: ({ path }) => path,
    capture: async ({ key }) => {
      throw new Error(`keep what was before "${key}": the kubelet makes it`)
    },
    giveBack: async ({ path, aside }) => kubeletState.of({ path, aside, isInUse: false }),
  },
})
