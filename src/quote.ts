export * from '@shiftfeed/common/quote';
