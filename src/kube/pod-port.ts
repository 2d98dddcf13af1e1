import { type Duplex, duplexPair, Writable } from 'node:stream'
import type { KubeConfig } from '@kubernetes/client-node'
import type { Connection } from './connection.ts'
import { type Flow, passingTo } from './flow.ts'

/** A port on which a pod listens, be it on its loopback address only. */
export interface PodPort {
  readonly namespace: string
  readonly pod: string
  readonly port: number
}

/**
 * A connection through the API server and the kubelet of the pod, as `kubectl port-forward` makes one for each connection that it takes.
 * @throws {Error} when the API server refuses
 */
export async function connectToPod(connection: Connection, { namespace, pod, port }: PodPort): Promise<Duplex> {
  const { PortForward } = await import('@kubernetes/client-node')
  const [socket, end] = duplexPair()
  // The kubelet may say that nothing listens before anybody uses the connection.
  socket.on('error', () => undefined)
  const failures = new Writable({
    write: (text, _, done) => {
      const said = String(text).trim()
      if (said !== '') socket.destroy(new Error(`failed to reach port ${port} of pod "${pod}": ${said}`))
      done()
    },
  })
  const forward = new PortForward(await configOf(connection))
  let opened: Tunnel | undefined
  const output = passingTo(end, () => opened)
  const tunnel = (await forward.portForward(namespace, pod, [port], output, failures, end).catch((cause) => {
    throw new Error(`failed to forward a port to pod "${pod}" in namespace "${namespace}": ${cause.message}`, { cause })
  })) as Tunnel
  opened = tunnel
  tunnel.onclose = () => end.end()
  socket.on('close', () => tunnel.close())
  return socket
}

interface Tunnel extends Flow {
  onclose: () => void
  close(): void
}

async function configOf({ server, tlsServerName, insecureSkipTlsVerify = false, credentials }: Connection): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const { ca, cert, key, token } = await credentials()
  // The library wants that said of a server without TLS, such as an embedded one.
  const isPlain = server.startsWith('http:')
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [
      {
        ...{ name: 'cluster', server, skipTLSVerify: insecureSkipTlsVerify || isPlain },
        ...(ca !== undefined && { caData: base64(ca) }),
        ...(tlsServerName !== undefined && { tlsServerName }),
      },
    ],
    users: [
      {
        name: 'user',
        ...(token !== undefined && { token }),
        ...(cert !== undefined && { certData: base64(cert) }),
        ...(key !== undefined && { keyData: base64(key) }),
      },
    ],
    contexts: [{ name: 'context', cluster: 'cluster', user: 'user' }],
    currentContext: 'context',
  })
  return config
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
