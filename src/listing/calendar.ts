export * from '@shiftfeed/common/days';
