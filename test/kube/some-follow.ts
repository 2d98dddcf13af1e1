import { type FollowEvent, type FollowOptions, KubeError } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { ManualTimers } from './manual-timers.ts'
import { type Answer, scriptedServer } from './scripted-server.ts'

export const NODES = '/api/v1/nodes'

export async function startFollow(answers: readonly Answer[], options: Partial<FollowOptions<string>> = {}) {
  const server = await scriptedServer(answers)
  const timers = new ManualTimers()
  const troubles: string[] = []
  const silences: number[] = []
  let opened = 0
  const client = createKubeClient({ server: server.url, credentials: async () => ({}) }, { timers, random: () => 0.5 })
  const stop = new AbortController()
  const events = client.follow(NODES, {
    project: (object) => `${object.metadata.name}@${object.metadata.resourceVersion}`,
    onTrouble: (error) => {
      troubles.push(error instanceof KubeError ? error.reason : String(error))
      if (error instanceof KubeError && error.silentFor !== undefined) silences.push(error.silentFor)
    },
    onOpen: () => opened++,
    signal: stop.signal,
    ...options,
  })
  const iterator = events[Symbol.asyncIterator]()
  const next = async (): Promise<FollowEvent<string> | undefined> => (await iterator.next()).value
  const dispose = async () => {
    stop.abort()
    await server[Symbol.asyncDispose]()
  }
  return { server, timers, troubles, silences, opened: () => opened, next, stop, [Symbol.asyncDispose]: dispose }
}
