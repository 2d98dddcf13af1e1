/** The servers that stand beside a cluster: artifacts and Git, on the bridge's address. */
import { mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRepository, type GitRepository } from '../git/repository.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import type { Slot } from './slot.ts'
import { waitUntil } from './wait.ts'

export interface Servers {
  /** Root of the downloads: `${artifacts}/release/v1.36.3/bin/linux/amd64/kubelet`. */
  readonly artifacts: string
  repository(name: string): Promise<GitRepository>
  /** Take the Git server away, and bring it back. */
  readonly git: { stop(): Promise<void>; start(): Promise<void> }
}

const ports = { artifacts: 8080, git: 8081 }

export function artifactsUrl(slot: Slot): string {
  return `http://${slot.host}:${ports.artifacts}`
}

export async function startServers(slot: Slot, artifacts: string): Promise<Servers> {
  const served = join(slot.dir, 'git')
  await mkdir(served, { recursive: true })
  const startGit = () => serve(slot, { program: '../git/serve.ts', root: served, port: ports.git })
  const artifactsServer = serve(slot, { program: '../artifacts/serve.ts', root: artifacts, port: ports.artifacts })
  let [git] = await Promise.all([startGit(), artifactsServer])
  const server = `http://${slot.host}:${ports.git}`
  return {
    artifacts: artifactsUrl(slot),
    git: {
      stop: () => git.kill(),
      async start() {
        git = await startGit()
      },
    },
    repository: (name) => createRepository({ served, server, clones: join(slot.dir, 'clones'), name }),
  }
}

interface ServeOptions {
  readonly program: string
  readonly root: string
  readonly port: number
}

async function serve(slot: Slot, { program, root, port }: ServeOptions): Promise<Daemon> {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const command = [process.execPath, path, root, slot.host, String(port)]
  const server = startDaemon(slot, { name: `port-${port}`, command, env: { HOME: slot.dir } })
  await waitUntil(() => accepts(slot.host, port), { for: `the server on port ${port}` })
  return server
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
