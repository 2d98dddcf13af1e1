import type { ChannelSettings, NotificationSettings } from './channel-settings.ts'
import { escapeSlack, escapeTeams, slackTo, teamsTo } from './chat.ts'
import { cloudEventsTo } from './cloud-events.ts'
import { emailTo, escapeLine, transportOf } from './email/email.ts'
import { loadNodemailer } from './email/load-nodemailer.ts'
import type { Channel, Send } from './notification.ts'
import { secretLine, secretUrl } from './secret-line.ts'
import { fillTemplate } from './template.ts'

export interface ChannelContext {
  readonly cluster?: string | undefined
  readonly insecureHttp: boolean
  /** Of files that the settings name. */
  readonly resolve: (path: string) => string
}

/** @throws {Error} when what the settings name cannot be used. */
export async function channelsOf(
  { source, channels }: NotificationSettings,
  context: ChannelContext,
): Promise<readonly Channel[]> {
  const { cluster } = context
  const from = { source: source ?? (cluster === undefined ? '/nodewave' : `/nodewave/${cluster}`), ...(cluster && { cluster }) }
  return Promise.all(
    channels.map(async (settings): Promise<Channel> => {
      const { name, perMinute, template, pools, reasons } = settings
      const { send, escaped } = await targetOf(settings, context)
      return {
        name,
        perMinute,
        filter: { pools, ...(reasons && { reasons }) },
        send: (notification, sending) => {
          const sent = { ...notification, ...from }
          return send({ ...sent, text: fillTemplate(template, sent, escaped) }, sending)
        },
      }
    }),
  )
}

interface Target {
  readonly send: Send
  readonly escaped?: (text: string) => string
}

async function targetOf({ cloudEvents, slack, teams, email, name }: ChannelSettings, context: ChannelContext): Promise<Target> {
  const { resolve, insecureHttp } = context
  const urlIn = async (path: string) => {
    const url = () => secretUrl(resolve(path), { insecureHttp })
    await url()
    return url
  }
  const tokenFile = cloudEvents?.tokenFile
  if (cloudEvents) {
    const token = tokenFile === undefined ? {} : { token: () => secretLine(resolve(tokenFile)) }
    return { send: cloudEventsTo({ url: await urlIn(cloudEvents.urlFile), ...token }) }
  }
  if (slack) return { send: slackTo(await urlIn(slack.urlFile)), escaped: escapeSlack }
  if (teams) return { send: teamsTo(await urlIn(teams.urlFile)), escaped: escapeTeams }
  if (email) return emailTarget(email, context)
  throw new Error(`channel "${name}" has no target`)
}

async function emailTarget(email: NonNullable<ChannelSettings['email']>, context: ChannelContext): Promise<Target> {
  const nodemailer = await loadNodemailer()
  await transportOf(email, context)
  return { send: emailTo(email, { ...context, nodemailer }), escaped: escapeLine }
}
