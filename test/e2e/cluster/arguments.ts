/** The command lines of the control plane. Ports are each cluster's own, so that several can run side by side. */
import { join } from 'node:path'
import { auditLog, auditPolicy } from './audit.ts'
import type { Certificates } from './certificates.ts'
import type { Slot } from './slot.ts'

export const SERVICE_RANGE = '10.96.0.0/12'

export interface Place {
  readonly slot: Slot
  readonly certificates: Certificates
  readonly address: string
  readonly port: number
  readonly alone: boolean
  /** Seconds after which a node without a heartbeat is not Ready; absent: as Kubernetes has it. */
  readonly heartbeatsWithin?: number | undefined
}

export function etcdArgs({ slot }: Place): string[] {
  const client = `http://127.0.0.1:${slot.ports.etcd}`
  const peer = `http://127.0.0.1:${slot.ports.etcdPeer}`
  return [
    '--name=e2e',
    `--data-dir=${join(slot.dir, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=e2e=${peer}`,
    '--unsafe-no-fsync', // the state is thrown away, and the disk is what everybody would wait for
    '--log-level=warn',
  ]
}

export function apiserverArgs({ slot, certificates, address, port, alone }: Place): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${slot.ports.etcd}`,
    `--bind-address=${address}`,
    `--advertise-address=${address}`,
    `--secure-port=${port}`,
    `--tls-cert-file=${certificates.certFile('apiserver')}`,
    `--tls-private-key-file=${certificates.keyFile('apiserver')}`,
    `--client-ca-file=${certificates.caFile}`,
    `--requestheader-client-ca-file=${certificates.caFile}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    `--kubelet-client-certificate=${certificates.certFile('apiserver-kubelet-client')}`,
    `--kubelet-client-key=${certificates.keyFile('apiserver-kubelet-client')}`,
    '--kubelet-preferred-address-types=InternalIP',
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${certificates.keyFile('sa')}`,
    `--service-account-signing-key-file=${certificates.keyFile('sa')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--enable-bootstrap-token-auth',
    '--allow-privileged',
    `--audit-policy-file=${auditPolicy}`,
    `--audit-log-path=${auditLog(slot)}`,
    '--audit-log-maxsize=10000', // megabytes; at 100 it would begin another file, and requests would be missed
    // Without a controller-manager no namespace gets its default service account; and 127.0.0.1 cannot be an endpoint.
    ...(alone ? ['--disable-admission-plugins=ServiceAccount', '--endpoint-reconciler-type=none'] : []),
  ]
}

export function controllerManagerArgs({ slot, certificates, heartbeatsWithin }: Place, kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${slot.ports.controllerManager}`,
    '--leader-elect=false',
    '--use-service-account-credentials',
    `--service-account-private-key-file=${certificates.keyFile('sa')}`,
    `--root-ca-file=${certificates.caFile}`,
    `--cluster-signing-cert-file=${certificates.caFile}`,
    `--cluster-signing-key-file=${certificates.keyFile('ca')}`,
    // Each controller gets an account of its own at the start; at the usual rate that takes five seconds.
    '--kube-api-qps=1000',
    '--kube-api-burst=1000',
    ...(heartbeatsWithin === undefined ? [] : [`--node-monitor-grace-period=${heartbeatsWithin}s`]),
  ]
}

export function schedulerArgs({ slot }: Place, kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${slot.ports.scheduler}`,
    '--leader-elect=false',
  ]
}
