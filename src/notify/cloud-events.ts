import { post } from '../remote/post.ts'
import type { Send, SentNotification } from './notification.ts'

/** CloudEvents 1.0 as JSON. */
export function cloudEvent(notification: SentNotification): object {
  const { id, source, reason, pool, time, ...data } = notification
  return {
    specversion: '1.0',
    id,
    source,
    type: `io.nodewave.pool.${reason}`,
    subject: pool,
    time,
    datacontenttype: 'application/json',
    data: { pool, reason, ...data },
  }
}

export function cloudEventsTo({
  url,
  token,
}: {
  readonly url: () => Promise<string>
  readonly token?: () => Promise<string>
}): Send {
  return async (notification, sending) => {
    const headers = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      ...(token && { authorization: `Bearer ${await token()}` }),
    }
    await post({ url: await url(), headers, body: JSON.stringify(cloudEvent(notification)), ...sending })
  }
}
