import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { sha256Of } from '../sha256.ts'
import { bitString, noAttributes, objectId, sequence, setOf, smallInteger, utf8 } from './der.ts'

const ORGANIZATION = '2.5.4.10'
const COMMON_NAME = '2.5.4.3'
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'

/** A new key for a certificate, P-256 as PEM. */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** One key has one request, whoever asks how often: as the kubelet names its own. */
export function requestName(key: string): string {
  return `node-csr-${sha256Of(publicKeyOf(createPrivateKey(key))).slice(0, 43)}`
}

/** A PKCS #10 request for the client certificate of a kubelet, as PEM. */
export function certificateRequest(key: string, node: string): string {
  const privateKey = createPrivateKey(key)
  const subject = sequence(named(ORGANIZATION, 'system:nodes'), named(COMMON_NAME, `system:node:${node}`))
  const info = sequence(smallInteger(0), subject, publicKeyOf(privateKey), noAttributes())
  const signature = bitString(sign('sha256', info, privateKey))
  const request = sequence(info, sequence(objectId(ECDSA_WITH_SHA256)), signature)
  const lines = request.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines}\n-----END CERTIFICATE REQUEST-----\n`
}

function named(attribute: string, value: string): Buffer {
  return setOf(sequence(objectId(attribute), utf8(value)))
}

function publicKeyOf(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
}
