import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { type FollowRepoOptions, followRepo } from '../../src/gitsync/follow-repo.ts'
import { createRemoteSource, type RemoteOptions } from '../../src/gitsync/remote-source.ts'
import type { RepoEvent } from '../../src/gitsync/repo-event.ts'
import type { RepoSource } from '../../src/gitsync/repo-source.ts'
import { type GitServerOptions, startGitServer } from '../../src/sim/git-server.ts'
import { ManualTimers } from '../kube/manual-timers.ts'
import { gitFixture } from './git-fixture.ts'

/** What is told, in a form that is easily compared. */
export function brief(event: RepoEvent | undefined): unknown {
  if (event?.type === 'snapshot') return ['snapshot', event.snapshot.commit]
  if (event?.type === 'refused') return ['refused', event.commit, event.reason]
  if (event?.type === 'trouble') return ['trouble', Object(event.error).reason, event.retryAfter]
  return event?.type
}

export function startFollow(source: RepoSource, options: Partial<FollowRepoOptions> = {}) {
  const stop = new AbortController()
  const timers = new ManualTimers()
  const follower = followRepo(source, { signal: stop.signal, timers, random: () => 0.5, ...options })
  const events = follower.events[Symbol.asyncIterator]()
  const next = async () => (await events.next()).value as RepoEvent | undefined
  return { timers, next, pollNow: follower.pollNow, stop, [Symbol.asyncDispose]: async () => stop.abort() }
}

export async function startRemote(server: Partial<GitServerOptions> = {}) {
  const fixture = await gitFixture()
  const git = await startGitServer({ root: join(fixture.folder, 'root'), ...server })
  const url = await git.createRepository('fleet.git')
  const { username, password } = server.password ?? {}
  await fixture.git('remote', 'add', 'origin', username ? url.replace('://', `://${username}:${password}@`) : url)
  const source = (options: Partial<RemoteOptions> = {}) =>
    createRemoteSource({ url, ref: { branch: 'main' }, directory: join(fixture.folder, 'objects'), ...options })
  const push = async (message: string, files?: Record<string, string>) => {
    const commit = await fixture.commit(message, files)
    await fixture.git('push', '--quiet', '--force', 'origin', 'HEAD:main')
    return commit
  }
  const dispose = async () => {
    await git[Symbol.asyncDispose]()
    await fixture[Symbol.asyncDispose]()
  }
  return { ...fixture, server: git, url, source, push, [Symbol.asyncDispose]: dispose }
}

/** A server that answers so. @returns the address of a repository on it */
export async function serverThat(answers: RequestListener): Promise<string> {
  const server = createServer(answers).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  server.unref()
  return `http://127.0.0.1:${Object(server.address()).port}/fleet.git`
}

export async function silentServer() {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  return { url: await serverThat(() => resolve()), asked }
}
