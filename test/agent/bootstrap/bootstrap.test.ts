import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { bootstrap } from '../../../src/agent/bootstrap/bootstrap.ts'
import { newKey, requestName } from '../../../src/agent/bootstrap/certificate-request.ts'
import { type KubeApi, KubeError } from '../../../src/kube/kube-api.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'
import { VirtualClock } from '../../../src/sim/virtual-clock.ts'

const KUBECONFIG = '/etc/kubernetes/kubelet.conf'
const CURRENT = '/var/lib/kubelet/pki/kubelet-client-current.pem'
const KEY = '/var/lib/nodewave/bootstrap.key'

/** An API server that keeps what is created, and signs when it is told to. */
class Signer {
  readonly objects = new Map<string, { spec?: object; status?: object; metadata: { name: string; labels?: object } }>()
  readonly asked: string[] = []
  status: object = {}
  trouble: Error | undefined

  api(who: string): KubeApi {
    const refuse = (): Promise<never> => Promise.reject(new Error('not used'))
    return {
      get: async <T>(path: string) => {
        if (this.trouble) throw this.trouble
        return (path.startsWith('/api/v1/nodes/') ? this.objects.get(path) : { status: this.status }) as T
      },
      create: async <T>(path: string, body: unknown) => {
        if (this.trouble) throw this.trouble
        const object = body as { metadata: { name: string } }
        this.asked.push(`${who} ${path}`)
        const at = `${path}/${object.metadata.name}`
        if (this.objects.has(at)) throw new KubeError('there', { code: 409, reason: 'AlreadyExists' })
        this.objects.set(at, object)
        return body as T
      },
      replace: refuse,
      patch: async <T>(path: string, body: unknown) => {
        this.asked.push(`${who} ${path}`)
        Object.assign(this.objects.get(path.replace('/status', '')) ?? {}, body)
        return body as T
      },
      delete: refuse,
      list: refuse,
      follow: () => {
        throw new Error('not used')
      },
    }
  }
}

function joining() {
  const [files, clock, signer, warned] = [new MemoryFiles(), new VirtualClock(), new Signer(), [] as string[]]
  const ports = {
    files,
    clock,
    log: { info: () => {}, warn: (_: string, fields?: object) => void warned.push(JSON.stringify(fields)) },
    connect: async () => ({ kube: signer.api('token'), server: 'https://192.0.2.1:6443', authority: 'AUTHORITY\n' }),
    connectAs: async (path: string) => {
      expect(files.text(path)).toContain(CURRENT)
      return signer.api('node')
    },
  }
  const stop = new AbortController()
  const start = () =>
    bootstrap(
      { name: 'w1', labels: { pool: 'workers' }, arch: 'arm64', capacity: { cpu: '4', memory: '8Gi' } },
      { paths: { stateDirectory: '/var/lib/nodewave', kubeconfig: KUBECONFIG }, ports, signal: stop.signal },
    )
  return { files, clock, signer, warned, start, stop }
}

const SIGNED = { certificate: Buffer.from('CERTIFICATE\n').toString('base64') }

test('machine with a token gets a certificate, makes its Node with it, and then writes the kubeconfig', async () => {
  const { files, clock, signer, start } = joining()
  const ended = start()
  await clock.advance(10_000)
  expect(files.text(KUBECONFIG)).toBeUndefined()
  const key = files.text(KEY) ?? ''
  signer.status = SIGNED
  await clock.advance(10_000)
  await ended

  const pair = (await files.readLink(CURRENT)) ?? ''
  expect(files.text(pair)).toBe(`CERTIFICATE\n${key}`)
  expect((await files.stat(pair))?.mode).toBe(0o600)
  expect(parse(files.text(KUBECONFIG) ?? '')).toMatchObject({
    clusters: [
      {
        cluster: {
          server: 'https://192.0.2.1:6443',
          'certificate-authority-data': Buffer.from('AUTHORITY\n').toString('base64'),
        },
      },
    ],
    users: [{ user: { 'client-certificate': CURRENT, 'client-key': CURRENT } }],
  })
  expect((await files.stat(KUBECONFIG))?.mode).toBe(0o600)
  expect(files.text('/etc/kubernetes/pki/ca.crt')).toBe('AUTHORITY\n')
  expect(signer.objects.get('/api/v1/nodes/w1')?.metadata.labels).toEqual({
    pool: 'workers',
    'kubernetes.io/hostname': 'w1',
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'arm64',
  })
  const room = { cpu: '4', memory: '8Gi', pods: '110' }
  expect(signer.objects.get('/api/v1/nodes/w1')?.status).toEqual({ capacity: room, allocatable: room })
  expect(signer.asked).toEqual(['token /apis/certificates.k8s.io/v1/certificatesigningrequests', 'node /api/v1/nodes'])
  expect(Object.keys(files.snapshot()).filter((path) => path.startsWith('/var/lib/nodewave/'))).toEqual([])
})

test('a Node that somebody else made gets room for pods, without which its first kubelet refuses static pods', async () => {
  const { clock, signer, start } = joining()
  signer.objects.set('/api/v1/nodes/w1', { metadata: { name: 'w1', labels: { role: 'theirs' } } })
  signer.status = SIGNED
  const ended = start()
  await clock.advance(10_000)
  await ended

  const room = { cpu: '4', memory: '8Gi', pods: '110' }
  expect(signer.objects.get('/api/v1/nodes/w1')).toEqual({
    metadata: { name: 'w1', labels: { role: 'theirs' } },
    status: { capacity: room, allocatable: room },
  })
})

test('what a kubelet has reported in the Node is left as it is', async () => {
  const { clock, signer, start } = joining()
  const status = { allocatable: { cpu: '3500m', memory: '7Gi', pods: '30' } }
  signer.objects.set('/api/v1/nodes/w1', { metadata: { name: 'w1' }, status })
  signer.status = SIGNED
  const ended = start()
  await clock.advance(10_000)
  await ended

  expect(signer.objects.get('/api/v1/nodes/w1')).toEqual({ metadata: { name: 'w1' }, status })
})

test('request is for a client certificate of a kubelet, and nothing else', async () => {
  const { files, clock, signer, start, stop } = joining()
  const ended = start()
  await clock.advance(1000)
  stop.abort()
  await ended
  const name = requestName(files.text(KEY) ?? '')

  expect(signer.objects.get(`/apis/certificates.k8s.io/v1/certificatesigningrequests/${name}`)?.spec).toMatchObject({
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usages: ['digital signature', 'client auth'],
  })
})

test('agent that starts again asks with the same key, and takes the Node and the request that are there', async () => {
  const { files, clock, signer, start } = joining()
  const key = newKey()
  files.put(KEY, key)
  files.put('/etc/kubernetes/pki/ca.crt', 'of somebody else\n')
  const request = `/apis/certificates.k8s.io/v1/certificatesigningrequests/${requestName(key)}`
  signer.objects.set(request, { metadata: { name: 'there' } })
  signer.objects.set('/api/v1/nodes/w1', { metadata: { name: 'w1', labels: { pool: 'admins' } } })
  signer.status = SIGNED
  const ended = start()
  await clock.advance(1000)
  await ended

  expect(files.text((await files.readLink(CURRENT)) ?? '')).toContain(key)
  expect(files.text('/etc/kubernetes/pki/ca.crt')).toBe('of somebody else\n')
  expect(signer.objects.get('/api/v1/nodes/w1')?.metadata.labels).toEqual({ pool: 'admins' })
})

test('API server that does not answer is asked again, and the trouble is told', async () => {
  const { files, clock, signer, warned, start } = joining()
  signer.trouble = new KubeError('connect ECONNREFUSED', { code: 0, reason: 'Unreachable' })
  signer.status = SIGNED
  const ended = start()
  await clock.advance(5 * 60_000)
  expect(warned[0]).toContain('ECONNREFUSED')
  expect(warned.length).toBeLessThan(12)
  signer.trouble = undefined
  await clock.advance(61_000)
  await ended

  expect(files.text(KUBECONFIG)).toBeDefined()
})

test('request that is denied is not asked for again: the next one has another key', async () => {
  const { files, clock, signer, warned, start, stop } = joining()
  const ended = start()
  await clock.advance(1000)
  const first = requestName(files.text(KEY) ?? '')
  signer.status = { conditions: [{ type: 'Denied', message: 'who are you' }] }
  await clock.advance(2000)
  expect(warned[0]).toContain(`${first}\\" is Denied: who are you`)
  signer.status = {}
  await clock.advance(3000)
  expect(requestName(files.text(KEY) ?? '')).not.toBe(first)
  stop.abort()
  await clock.advance(1000)
  await ended
})
