/** etcd, kube-apiserver, controller-manager and scheduler as processes of the machine. */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApiClient, createApiClient } from './api-client.ts'
import { apiserverArgs, controllerManagerArgs, etcdArgs, schedulerArgs } from './arguments.ts'
import { type Certificates, createAuthority } from './certificates.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import { launch } from './launch.ts'
import { isRunning, killProcess, type ProcessId } from './process-id.ts'
import type { Slot } from './slot.ts'
import { waitUntil } from './wait.ts'

export type Component = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler'

export interface ControlPlaneOptions {
  /** Where a component's binary is. */
  readonly binary: (name: Component) => string
  /** The address that the API server listens on. */
  readonly address: string
  readonly port: number
  /** Only etcd and kube-apiserver: nothing makes service accounts, schedules or deletes then. */
  readonly alone?: boolean
  /** Seconds after which a node without a heartbeat is not Ready; absent: as Kubernetes has it. */
  readonly heartbeatsWithin?: number | undefined
  /** The cores that they may use, as `taskset --cpu-list` reads them; absent: all. */
  readonly cores?: string | undefined
}

export interface ControlPlane {
  readonly server: string
  readonly certificates: Certificates
  /** Kubeconfig of an administrator. */
  readonly kubeconfig: string
  readonly api: ApiClient
  start(component: Component): void
  /** Ends it at once, as a machine that fails does. */
  stop(component: Component): Promise<void>
  waitReady(): Promise<void>
}

export async function startControlPlane(slot: Slot, options: ControlPlaneOptions): Promise<ControlPlane> {
  const certificates = await createAuthority(join(slot.dir, 'pki'))
  const server = `https://${options.address}:${options.port}`
  const logs = join(slot.dir, 'logs')
  await mkdir(logs, { recursive: true })
  await issueAll(certificates, options.address)
  const config = (name: string, user: string) =>
    writeKubeconfig(join(slot.dir, `${name}.conf`), { server, certificates, client: { name }, user })
  const { address, port, alone = false, heartbeatsWithin, cores } = options
  const place = { slot, certificates, address, port, alone, heartbeatsWithin }
  const commands: Record<Component, string[]> = {
    etcd: etcdArgs(place),
    'kube-apiserver': apiserverArgs(place),
    'kube-controller-manager': controllerManagerArgs(place, await config('controller-manager', 'system:kube-controller-manager')),
    'kube-scheduler': schedulerArgs(place, await config('scheduler', 'system:kube-scheduler')),
  }
  const onCores = cores === undefined ? [] : ['taskset', '--cpu-list', cores]
  const running = new Map<Component, ProcessId>()
  const api = createApiClient(server, certificates, 'admin')
  const plane: ControlPlane = {
    server,
    certificates,
    kubeconfig: await config('admin', 'kubernetes-admin'),
    api,
    start(name) {
      const command = [...onCores, options.binary(name), ...commands[name]]
      running.set(name, launch(slot, command, { log: join(logs, `${name}.log`) }))
    },
    async stop(name) {
      const id = running.get(name)
      if (id === undefined) return
      killProcess(id, 'SIGKILL')
      await waitUntil(() => !isRunning(id), { for: `${name} to end` })
    },
    async waitReady() {
      const id = running.get('kube-apiserver')
      const state = await waitUntil(
        async () => {
          if (id === undefined || !isRunning(id)) return 'ended'
          return (await isReady(api)) && 'ready'
        },
        { for: 'kube-apiserver to be ready' },
      )
      if (state === 'ended')
        throw new Error(`start kube-apiserver: it ended\n${await lastWords(join(logs, 'kube-apiserver.log'))}`)
    },
  }
  plane.start('etcd')
  plane.start('kube-apiserver')
  return plane
}

/** It is ready before it has made the namespaces that everything stands in. */
async function isReady(api: ApiClient): Promise<boolean> {
  const paths = ['/readyz', '/api/v1/namespaces/default', '/api/v1/namespaces/kube-system']
  const answers = await Promise.all(paths.map((path) => api.send(path)))
  return answers.every(({ status }) => status === 200)
}

async function issueAll(certificates: Certificates, address: string): Promise<void> {
  const names = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'localhost'].map((name) => `DNS:${name}`)
  const serves = [...names, `IP:${address}`, 'IP:127.0.0.1', 'IP:10.96.0.1']
  await Promise.all([
    certificates.issue({ name: 'apiserver', user: 'kube-apiserver', serves }),
    certificates.issue({
      name: 'apiserver-kubelet-client',
      user: 'kube-apiserver-kubelet-client',
      groups: ['kubeadm:cluster-admins'],
    }),
    certificates.issue({ name: 'admin', user: 'kubernetes-admin', groups: ['system:masters'] }),
    certificates.issue({ name: 'controller-manager', user: 'system:kube-controller-manager' }),
    certificates.issue({ name: 'scheduler', user: 'system:kube-scheduler' }),
  ])
}

async function lastWords(log: string): Promise<string> {
  return (await readFile(log, 'utf8')).trim().split('\n').slice(-5).join('\n')
}
