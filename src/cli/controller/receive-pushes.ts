import type { Clock } from '../../controller/clock/clock.ts'
import type { Log } from '../../controller/log/log.ts'
import type { HeadSource } from '../../controller/revisions/head-source.ts'
import { SharedPushes } from '../../controller/webhook/shared-pushes.ts'
import { startReceiver } from '../../forge/webhook/receiver.ts'
import type { Listening } from '../../http/listen.ts'
import type { KubeApi } from '../../kube/kube-api.ts'
import { renewCertificate } from './renew-certificate.ts'
import type { WebhookSettings } from './webhook-options.ts'

export interface ReceivingContext {
  readonly kube: KubeApi
  readonly source: HeadSource
  readonly clock: Clock
  readonly log: Log
  /** Of the Lease by which controllers tell each other. */
  readonly namespace: string
  /** Whether other controllers may run beside this one. */
  readonly shared: boolean
  readonly signal: AbortSignal
}

/** From now on a push is fetched when its forge delivers it, to this controller or to another one. */
export async function receivePushes(settings: WebhookSettings, context: ReceivingContext): Promise<Listening> {
  const { source, clock, log, shared } = context
  const now = () => clock.now()
  const look = () => source.look()
  const pushes = shared ? new SharedPushes({ ...context, now, onPush: look }) : undefined
  const onPush = () => {
    look()
    void pushes?.announce()
  }
  const receiver = await startReceiver({ ...settings, now, log, onPush })
  log('info', `receiving webhooks on port ${receiver.port}, path /webhook`)
  void pushes?.follow()
  const { certificate } = settings
  if (certificate) void renewCertificate({ ...context, certificate, receiver })
  return receiver
}
