import { post } from '../remote/post.ts'
import type { Send } from './notification.ts'

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

/** Else a commit's subject could notify a whole channel. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Else a commit's subject could look like a link of ours. */
export function escapeTeams(text: string): string {
  return text.replace(/[\\[\]()*_`~#>|]/g, '\\$&')
}

export function slackTo(url: () => Promise<string>): Send {
  return async ({ text }, sending) => {
    const body = JSON.stringify({ text, unfurl_links: false, unfurl_media: false })
    await post({ url: await url(), headers: JSON_TYPE, body, ...sending })
  }
}

/** As a workflow "When a Teams webhook request is received" takes it. */
export function teamsTo(url: () => Promise<string>): Send {
  return async ({ text, severity, time }, sending) => {
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: [
        { type: 'TextBlock', text, wrap: true, color: severity === 'Warning' ? 'Attention' : 'Default' },
        { type: 'TextBlock', text: time, isSubtle: true, size: 'Small' },
      ],
    }
    const attachments = [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }]
    await post({ url: await url(), headers: JSON_TYPE, body: JSON.stringify({ type: 'message', attachments }), ...sending })
  }
}
