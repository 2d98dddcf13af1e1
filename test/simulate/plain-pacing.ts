import { setImmediate } from 'node:timers/promises'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import type { Core } from '../../src/sim/apiserver/core.ts'
import { inProcessClient } from '../../src/sim/apiserver/in-process-client.ts'
import type { Pacing } from '../../src/simulate/simulate-fleet.ts'

/**
 * How a simulation would go if nothing were spared: the controller looks at everything again after each single action, and after each
 * word of an agent; what it is told are copies, as from a socket.
 */
export const PLAIN: Pacing = { actionsAPass: 1, countsEvery: 0, clientOf: (core) => unhurried(copying(inProcessClient(core))) }

/** The same, but for agents: what they say at one instant is heard together. */
export const PLAIN_BUT_TOGETHER: Pacing = { ...PLAIN, clientOf: (core: Core) => copying(inProcessClient(core)) }

function copying(kube: KubeApi): KubeApi {
  return {
    ...kube,
    get: async <T>(...asked: Parameters<KubeApi['get']>) => copy(await kube.get<T>(...asked)),
    create: async <T>(...asked: Parameters<KubeApi['create']>) => copy(await kube.create<T>(...asked)),
    replace: async <T>(...asked: Parameters<KubeApi['replace']>) => copy(await kube.replace<T>(...asked)),
    patch: async <T>(...asked: Parameters<KubeApi['patch']>) => copy(await kube.patch<T>(...asked)),
    follow: (path, options) => kube.follow(path, { ...options, project: (object) => options.project(copy<KubeObject>(object)) }),
  }
}

function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/** Whoever hears of a write may act on it before the next one. */
function unhurried(kube: KubeApi): KubeApi {
  const patch = async <T>(...asked: Parameters<KubeApi['patch']>): Promise<T> => {
    const answer = await kube.patch<T>(...asked)
    for (let turns = 0; turns < 2; turns++) await setImmediate()
    return answer
  }
  return { ...kube, patch }
}
